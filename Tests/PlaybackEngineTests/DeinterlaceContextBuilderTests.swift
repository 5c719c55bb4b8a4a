import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import PlaybackEngine
@testable import PlayheadTesting

// Rule: deinterlacing
/// Interlaced frames have context frames, and nothing else of the decoder's output changes.
@Suite("Context frames for deinterlacing")
struct DeinterlaceContextBuilderTests {
    /// The numbers of a frame and of its context frames.
    private struct FrameNumbers: Equatable, CustomStringConvertible {
        var previous, number, next: Int?
        var description: String {
            [previous, number, next].map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
        }
    }

    private static func frame(_ number: Int, isInterlaced: Bool = true) -> VideoFrame {
        var frame = VideoFrame(
            format: VideoFormat(pixelFormat: .gray, size: ScriptedFrame.ownSize),
            presentationTime: .ms(Int64(number) * 40),
            duration: .ms(40),
            isKeyFrame: false,
            sourceTime: SourceTime(ticks: Int64(number), timeBase: Rational(1, 25)),
            storage: ScriptedFrame(number)
        )
        frame.isInterlaced = isInterlaced
        return frame
    }

    /// Adds frames, and returns what is delivered for each of them, and at the end.
    private func run(
        _ frames: [VideoFrame],
        isWanted: (Int) -> Bool = { _ in true }
    ) -> (delivered: [[String]], numbers: [Int?]) {
        var builder = DeinterlaceContextBuilder()
        var delivered: [[VideoFrame]] = []
        for (index, frame) in frames.enumerated() {
            let held = builder.release(before: frame)
            let isHeld = builder.hold(frame, isWanted: isWanted(index))
            delivered.append([held, isHeld ? nil : frame].compactMap(\.self))
        }
        delivered.append([builder.release(before: nil)].compactMap(\.self))
        let texts = delivered.map { frames in
            frames.map { frame in
                let context = frame.deinterlaceContext
                #expect(
                    context?.previous?.deinterlaceContext == nil && context?.next?.deinterlaceContext == nil
                )
                return FrameNumbers(
                    previous: context?.previous?.scriptedNumber,
                    number: frame.scriptedNumber,
                    next: context?.next?.scriptedNumber
                ).description
            }
        }
        return (texts, delivered.flatMap { $0.map(\.scriptedNumber) })
    }

    @Test("Each frame has the preceding and the following frame, and the last one is delivered at the end")
    func chain() {
        let delivered = run((0..<4).map { Self.frame($0) }).delivered
        #expect(delivered == [[], ["- 0 1"], ["0 1 2"], ["1 2 3"], ["2 3 -"]])
    }

    @Test("If no layer deinterlaces, nothing is delayed and nothing is kept")
    func notDeinterlaced() {
        let delivered = run((0..<2).map { Self.frame($0) }) { _ in false }.delivered
        #expect(delivered == [["- 0 -"], ["- 1 -"], []])
    }

    @Test("A progressive frame is not delayed, and serves as context")
    func mixed() {
        let delivered = run((0..<5).map { Self.frame($0, isInterlaced: $0 == 1 || $0 == 4) }).delivered
        // No frame before the first interlaced one is kept.
        #expect(delivered == [["- 0 -"], [], ["- 1 2", "- 2 -"], ["- 3 -"], [], ["3 4 -"]])
    }

    @Test(
        "If deinterlacing is enabled and disabled during playback, no frame is lost, repeated or delayed indefinitely"
    )
    func switched() {
        let delivered = run((0..<8).map { Self.frame($0) }) { (2..<6).contains($0) }.delivered
        let expected = ["- 0 -", "- 1 -", "- 2 3", "2 3 4", "3 4 5", "4 5 6", "- 6 -", "- 7 -"]
        #expect(delivered.flatMap(\.self) == expected)
    }

    @Test("Any sequence of frames keeps its order", arguments: (1...20).samples)
    func random(sample: Int) {
        var random = SplitMix64(UInt64(sample))
        let frames = (0..<50).map { Self.frame($0, isInterlaced: Bool.random(using: &random)) }
        let wanted = frames.map { _ in Int.random(in: 0..<4, using: &random) > 0 }
        #expect(run(frames) { wanted[$0] }.numbers == Array(0..<50))
    }

    @Test("A frame is released with its last user, together with its deinterlaced result")
    func released() throws {
        var builder = DeinterlaceContextBuilder()
        weak var kept: DeinterlaceContext?
        weak var storage: ScriptedFrame?
        do {
            let isHeld = builder.hold(Self.frame(0), isWanted: true)
            let next = Self.frame(1)
            let released = builder.release(before: next)
            let isNextHeld = builder.hold(next, isWanted: true)
            #expect(isHeld && isNextHeld)
            let frame = try #require(released)
            kept = frame.deinterlaceContext
            storage = frame.storage as? ScriptedFrame
            let copier = Copier()
            let layer = FrameDeinterlacer { copier }
            let whole = layer.deinterlace(frame)
            #expect(whole.error == nil && !whole.frame.isInterlaced && whole.frame.scriptedNumber == 0)
            #expect(kept != nil && storage != nil)
        }
        builder = DeinterlaceContextBuilder()
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
        func play(_ deinterlaces: Bool, delay: Int, broken: Int?) -> (frames: [Int], faults: Int) {
            let bench = EngineTestBench(seed: seed)
            if deinterlaces { bench.layer.setFit(LayerOutput.Fit(deinterlacing: .always)) }
            var video = ScriptedMedia.Video(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2)
            video.isInterlaced = true
            video.delay = delay
            video.throwsAtDraining = broken != nil
            let faults = broken.map { [ScriptedMedia.Fault.undecodable(frame: $0)] } ?? []
            bench.load(ScriptedMedia(video: video, faults: faults))
            bench.loop.send(.setRepeat(.loop))
            bench.loop.send(.setRate(1))
            bench.driver.run(seconds: 3)
            bench.seek(1, to: .ms(410))
            bench.driver.run(seconds: 1)
            bench.loop.send(.setRate(0))
            bench.driver.run(seconds: 1)
            bench.loop.send(.setRate(-1))
            bench.driver.run(seconds: 1)
            return (bench.videoSink.numbers, bench.lines("fault decodeFailed").count)
        }
        for delay in [0, 3] {
            for broken in [nil, 17, 49] as [Int?] {
                let whole = play(true, delay: delay, broken: broken)
                let plain = play(false, delay: delay, broken: broken)
                #expect(whole.frames == plain.frames, "delay \(delay), broken \(broken ?? -1)")
                #expect(whole.faults == plain.faults)
            }
        }
    }
}
