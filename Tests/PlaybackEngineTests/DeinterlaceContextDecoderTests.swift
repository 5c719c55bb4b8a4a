import MediaCore
import PlayheadBackend
import Testing

@testable import PlaybackEngine
@testable import PlayheadTesting

// Rule: deinterlacing
/// Interlaced frames have context frames, and nothing else of the decoder's output changes.
@Suite("Context frames for deinterlacing")
struct DeinterlaceContextDecoderTests {
    /// The numbers of a frame and of its context frames.
    private struct FrameNumbers: Equatable, CustomStringConvertible {
        var previous, number, next: Int?
        var description: String {
            [previous, number, next].map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
        }
    }

    /// A decoder that returns a scripted result for each call.
    private final class Script: Decoder {
        enum Answer {
            case frame(Int, isInterlaced: Bool)
            case needsInput
            case fault
            case ended
        }
        private let answers: Locked<[Answer]>
        private let failsToDrain: Bool
        init(_ answers: [Answer], failsToDrain: Bool = false) {
            self.answers = Locked(answers)
            self.failsToDrain = failsToDrain
        }

        func send(_ packet: Packet?) throws(MediaError) -> Bool {
            if packet == nil, failsToDrain { throw MediaError(.decodeFailed, "refused") }
            return true
        }

        func flush() {}

        func receive() throws(MediaError) -> DecoderOutput {
            let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
            switch answer {
            case .frame(let number, let isInterlaced):
                var frame = VideoFrame(
                    format: VideoFormat(pixelFormat: .gray, size: ScriptedFrame.ownSize),
                    presentationTime: .ms(Int64(number) * 40),
                    duration: .ms(40),
                    isKeyFrame: false,
                    sourceTime: SourceTime(ticks: Int64(number), timeBase: Rational(1, 25)),
                    storage: ScriptedFrame(number)
                )
                frame.isInterlaced = isInterlaced
                return .video(frame)
            case .fault: throw MediaError(.decodeFailed, "broken")
            case .needsInput: return .needsInput
            case .ended, nil: return .ended
            }
        }
    }

    private static func fields(_ numbers: Range<Int>) -> [Script.Answer] {
        numbers.map { .frame($0, isInterlaced: true) }
    }

    /// Receives frames until the decoder has ended, and counts errors.
    private func run(
        _ decoder: DeinterlaceContextDecoder,
        during: (Int) -> Void = { _ in }
    ) -> (frames: [FrameNumbers], faults: Int) {
        var (frames, faults) = ([FrameNumbers](), 0)
        while frames.count + faults < 100 {
            do {
                switch try decoder.receive() {
                case .video(let frame):
                    let around = frame.deinterlaceContext
                    #expect(
                        around?.previous?.deinterlaceContext == nil && around?.next?.deinterlaceContext == nil
                    )
                    frames.append(
                        FrameNumbers(
                            previous: around?.previous?.scriptedNumber,
                            number: frame.scriptedNumber,
                            next: around?.next?.scriptedNumber
                        )
                    )
                    during(frames.count)
                case .needsInput: during(frames.count)
                case .audio: break
                case .ended: return (frames, faults)
                }
            } catch {
                faults += 1
            }
        }
        Issue.record("the decoder does not end")
        return (frames, faults)
    }

    private func decoder(
        _ answers: [Script.Answer],
        deinterlaces: Bool = true,
        failsToDrain: Bool = false
    ) -> (DeinterlaceContextDecoder, DeinterlacingDemand) {
        let demand = DeinterlacingDemand()
        demand.set(deinterlaces)
        return (
            DeinterlaceContextDecoder(Script(answers, failsToDrain: failsToDrain), demand: demand), demand
        )
    }

    @Test("Each frame has the preceding and the following frame, and the last one is delivered at the end")
    func chain() {
        let (decoder, _) = decoder(Self.fields(0..<4) + [.ended])
        #expect(run(decoder).frames.map(\.description) == ["- 0 1", "0 1 2", "1 2 3", "2 3 -"])
    }

    @Test("If no layer deinterlaces, nothing is delayed and nothing is kept")
    func notDeinterlaced() throws {
        let (decoder, _) = decoder(Self.fields(0..<2) + [.needsInput], deinterlaces: false)
        for number in 0..<2 {
            guard case .video(let frame) = try decoder.receive() else {
                Issue.record("frame \(number) is late")
                return
            }
            #expect(frame.scriptedNumber == number && frame.deinterlaceContext == nil)
        }
    }

    @Test("A progressive frame is not delayed, and serves as context")
    func mixed() {
        let answers: [Script.Answer] = [
            .frame(0, isInterlaced: false), .frame(1, isInterlaced: true), .frame(2, isInterlaced: false),
            .frame(3, isInterlaced: false), .frame(4, isInterlaced: true), .needsInput, .ended,
        ]
        let (decoder, _) = decoder(answers)
        // No frame before the first interlaced one is kept.
        let expected = ["- 0 -", "- 1 2", "- 2 -", "- 3 -", "3 4 -"]
        #expect(run(decoder).frames.map(\.description) == expected)
    }

    @Test(
        "If deinterlacing is enabled and disabled during playback, no frame is lost, repeated or delayed indefinitely"
    )
    func switched() {
        let (decoder, demand) = decoder(Self.fields(0..<8) + [.ended], deinterlaces: false)
        let frames = run(decoder) { count in
            if count == 2 { demand.set(true) }
            if count == 5 { demand.set(false) }
        }.frames
        #expect(frames.map(\.number) == Array(0..<8))
        let expected = ["- 0 -", "- 1 -", "- 2 3", "2 3 4", "3 4 5", "4 5 6", "- 6 -", "- 7 -"]
        #expect(frames.map(\.description) == expected)
    }

    @Test("An error does not affect other frames, and an error at the end is thrown after the last frame")
    func faults() throws {
        let (middle, _) = decoder(Self.fields(0..<2) + [.fault] + Self.fields(2..<4) + [.ended])
        let played = run(middle)
        #expect(played.frames.map(\.description) == ["- 0 1", "0 1 2", "1 2 3", "2 3 -"])
        #expect(played.faults == 1)
        let (end, _) = decoder(Self.fields(0..<2) + [.fault, .ended])
        #expect(try end.send(nil))
        var order: [String] = []
        for _ in 0..<4 {
            do {
                switch try end.receive() {
                case .video(let frame): order.append("\(frame.scriptedNumber ?? -1)")
                case .ended: order.append("ended")
                case .needsInput, .audio: break
                }
            } catch {
                order.append("fault")
            }
        }
        #expect(order == ["0", "1", "fault", "ended"])
    }

    @Test("If draining fails, the last frame is delivered before the error")
    func failsToDrain() throws {
        let (decoder, _) = decoder(Self.fields(0..<1) + [.needsInput], failsToDrain: true)
        guard case .needsInput = try decoder.receive() else {
            Issue.record("the frame does not wait")
            return
        }
        #expect(try decoder.send(nil))
        guard case .video(let frame) = try decoder.receive() else {
            Issue.record("the frame is lost")
            return
        }
        #expect(frame.scriptedNumber == 0)
        #expect(throws: MediaError.self) { try decoder.receive() }
    }

    @Test("A flush discards all context")
    func flush() throws {
        let (decoder, _) = decoder(Self.fields(0..<3) + [.needsInput, .ended])
        _ = try decoder.receive()
        decoder.flush()
        #expect(run(decoder).frames.map(\.description) == ["- 2 -"])
    }

    @Test("A frame is released with its last user, together with its deinterlaced result")
    func released() throws {
        let (decoder, _) = decoder(Self.fields(0..<3) + [.needsInput])
        weak var kept: DeinterlaceContext?
        weak var storage: ScriptedFrame?
        do {
            guard case .video(let frame) = try decoder.receive() else {
                Issue.record("there is no frame")
                return
            }
            kept = frame.deinterlaceContext
            storage = frame.storage as? ScriptedFrame
            let copier = Copier()
            let layer = FrameDeinterlacer { copier }
            let whole = layer.deinterlace(frame)
            #expect(whole.error == nil && !whole.frame.isInterlaced && whole.frame.scriptedNumber == 0)
            #expect(kept != nil && storage != nil)
        }
        decoder.flush()
        #expect(kept == nil && storage == nil)
    }

    /// A deinterlacer that only marks a frame as progressive.
    private final class Copier: Deinterlacer {
        func deinterlace(_ frame: VideoFrame, previous: VideoFrame?, next: VideoFrame?) -> VideoFrame {
            var whole = frame
            whole.isInterlaced = false
            return whole
        }
    }

    @Test(
        "A player that deinterlaces plays, seeks and loops like one that does not",
        arguments: [nil, 1, 2, 3, 4] as [UInt64?]
    )
    func samePlayback(_ seed: UInt64?) {
        func play(_ deinterlaces: Bool, delay: Int) -> [Int] {
            let bench = EngineTestBench(seed: seed)
            if deinterlaces { bench.layer.setFit(LayerOutput.Fit(deinterlacing: .always)) }
            var video = ScriptedMedia.Video(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2)
            video.isInterlaced = true
            video.delay = delay
            bench.load(ScriptedMedia(video: video))
            bench.loop.send(.setRepeat(.loop))
            bench.loop.send(.setRate(1))
            bench.driver.run(seconds: 3)
            bench.seek(1, to: .ms(410))
            bench.driver.run(seconds: 1)
            bench.loop.send(.setRate(0))
            bench.driver.run(seconds: 1)
            bench.loop.send(.setRate(-1))
            bench.driver.run(seconds: 1)
            return bench.videoSink.numbers
        }
        for delay in [0, 3] {
            #expect(play(true, delay: delay) == play(false, delay: delay))
        }
    }
}
