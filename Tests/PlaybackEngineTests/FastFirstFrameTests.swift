import MediaCore
import PlayheadBackend
import Testing

@testable import PlaybackEngine
@testable import PlayheadTesting

// Rule: dropping
@Suite("The first frame does not wait for the decoder's delay")
struct FastFirstFrameTests {
    /// A clip of which only `packets` packets are available until second 5. The decoder delays its output by
    /// eight frames.
    static func clip(_ packets: Int, delay: Int = 8, _ faults: [ScriptedMedia.Fault] = []) -> ScriptedMedia {
        var video = ScriptedMedia.Video(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2)
        video.delay = delay
        return ScriptedMedia(video: video, faults: faults + [.stall(atPacket: packets, until: 5)])
    }

    @Test(
        "Two packets suffice to show the first frame, and each frame is shown once",
        arguments: [nil, 1, 2, 3] as [UInt64?]
    )
    func isShown(_ seed: UInt64?) {
        let bench = EngineTestBench(seed: seed)
        bench.load(Self.clip(2))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0])
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(bench.lines("playedToEnd").count == 1)
    }

    @Test("One packet does not suffice, because the next frame may precede it")
    func waitsForTheNext() {
        let bench = EngineTestBench()
        bench.load(Self.clip(1))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers.isEmpty)
    }

    @Test("The first frame after a seek with tolerance is shown early")
    func seeks() {
        let bench = EngineTestBench()
        bench.load(Self.clip(22))
        bench.driver.run(atMost: 1)
        bench.seek(1, to: .ms(810), tolerance: .positiveInfinity)
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 20])
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == [0] + Array(20..<50))
    }

    @Test("A first frame that cannot be decoded is reported once, and the others play")
    func undecodable() {
        let bench = EngineTestBench()
        bench.load(Self.clip(50, [.undecodable(frame: 0)]))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(1..<50))
        #expect(bench.lines("fault").count == 1)
    }

    @Test(
        "A decoder that fails to drain continues, and the faulty packet is reported once",
        arguments: [0, 1, 2]
    )
    func refusesToDrain(_ broken: Int) {
        let bench = EngineTestBench()
        var media = Self.clip(1000, [.undecodable(frame: broken)])
        media.video?.throwsAtDraining = true
        bench.load(media)
        bench.loop.send(.setRate(1))
        #expect(bench.driver.run(atMost: 60))
        #expect(bench.videoSink.numbers == (0..<50).filter { $0 != broken })
        #expect(bench.lines("playedToEnd").count == 1)
    }

    @Test("A packet that fails before the first frame is decoded again does not show that frame twice")
    func fault() {
        let bench = EngineTestBench()
        bench.load(Self.clip(1000, [.undecodable(frame: 3)]))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == (0..<50).filter { $0 != 3 })
        #expect(bench.lines("fault").count == 1)
    }

    @Test("A loop shows no frame twice")
    func loops() {
        let bench = EngineTestBench()
        bench.loop.send(.setRepeat(.loop))
        bench.load(Self.clip(1000))
        bench.loop.send(.setRate(1))
        bench.driver.run(until: HostTime(nanoseconds: 3_990_000_000))
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0..<50))
    }

    @Test("A single field is not shown, because the other one may be in the next packet")
    func interlaced() {
        let bench = EngineTestBench()
        var media = Self.clip(2)
        media.video?.isInterlaced = true
        bench.load(media)
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers.isEmpty)
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
    }

    @Test("A decoder is not wrapped for audio, or if the option is disabled")
    func isAnOption() {
        let media = Self.clip(1000)
        let tracks = media.describe().tracks
        let decoder = ScriptedDecoder(media, track: ScriptedMedia.videoTrack)
        var options = DecoderOptions()
        #expect(FastFirstFrameDecoder.wrap(decoder, of: tracks[0], options) is FastFirstFrameDecoder)
        options.decodesFirstFrameAlone = false
        #expect(FastFirstFrameDecoder.wrap(decoder, of: tracks[0], options) is ScriptedDecoder)
        options.decodesFirstFrameAlone = true
        let audio = ScriptedMedia(audio: .init(sampleCount: 1))
        let plain = ScriptedDecoder(audio, track: ScriptedMedia.audioTrack)
        #expect(FastFirstFrameDecoder.wrap(plain, of: audio.describe().tracks[0], options) is ScriptedDecoder)
    }

    @Test("The decorator returns the same frames in the same order, and the first one after two packets")
    func decorates() throws {
        let media = Self.clip(1000)
        let decoder = FastFirstFrameDecoder(ScriptedDecoder(media, track: ScriptedMedia.videoTrack))
        decoder.begin(EpochStart(epoch: Epoch(1)))
        var packets = media.packets()[...]
        var sent = 0
        var times: [MediaTime] = []
        var sentBeforeFirst = 0
        loop: while true {
            switch try decoder.receive() {
            case .video(let frame):
                if times.isEmpty { sentBeforeFirst = sent }
                times.append(frame.presentationTime)
            case .audio: break
            case .needsInput:
                if try decoder.send(packets.first) {
                    packets = packets.dropFirst()
                    sent += 1
                }
            case .ended: break loop
            }
        }
        #expect(sentBeforeFirst == 1)
        #expect(times == (0..<50).map { .ms($0 * 40) })
    }

    private static func frame(_ time: Int64) -> VideoFrame {
        VideoFrame(
            format: VideoFormat(pixelFormat: .gray, size: PixelSize(width: 1, height: 1)),
            presentationTime: .ms(time),
            duration: .ms(40),
            isKeyFrame: false,
            sourceTime: SourceTime(ticks: time, timeBase: Rational(1, 1000)),
            storage: EmptyFrameStorage()
        )
    }

    @Test("When the first packet is decoded again, no frame is repeated or out of order")
    func again() {
        var firstFrame = FastFirstFrame()
        firstFrame.begin(isWanted: true)
        firstFrame.sent(Self.packet(80, isKey: true))
        _ = firstFrame.isComplete(before: Self.packet(120))
        firstFrame.drain()
        let delivered = [80, 120].map { firstFrame.isNew(Self.frame($0)) }
        firstFrame.drained()
        firstFrame.resent()
        // In violation of the codec's rules, a frame that should have been first.
        #expect(
            delivered + [0, 80, 120, 80].map { firstFrame.isNew(Self.frame($0)) } == [
                true, false, false, false, true, true,
            ]
        )
    }

    private static func packet(_ time: Int64?, isKey: Bool = false) -> Packet {
        Packet(
            track: 0,
            presentationTime: time.map { .ms($0) },
            decodeTime: nil,
            duration: .ms(40),
            byteCount: 1,
            isKeyFrame: isKey,
            payload: ScriptedMarker()
        )
    }

    @Test(
        "The first frame is decoded alone only if the next packet is later in presentation order",
        arguments: [
            (packet(0, isKey: true), packet(120), true), (packet(80, isKey: true), packet(0), false),
            (packet(80, isKey: true), packet(80), false), (packet(0), packet(40), false),
            (packet(nil, isKey: true), packet(40), false), (packet(0, isKey: true), packet(nil), false),
            (packet(0, isKey: true), nil, false),
        ] as [(Packet, Packet?, Bool)]
    )
    func allowed(first: Packet, next: Packet?, isAllowed: Bool) {
        var firstFrame = FastFirstFrame()
        firstFrame.begin(isWanted: true)
        let wasComplete = firstFrame.isComplete(before: first)
        firstFrame.sent(first)
        let isComplete = firstFrame.isComplete(before: next)
        // The result does not change.
        let isStillComplete = firstFrame.isComplete(before: Self.packet(1000))
        #expect([wasComplete, isComplete, isStillComplete] == [false, isAllowed, isAllowed])
    }
}

private final class ScriptedMarker: PacketPayload {}

private final class EmptyFrameStorage: VideoFrameStorage {
    var byteCount: Int { 0 }
    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R { try body([]) }
}
