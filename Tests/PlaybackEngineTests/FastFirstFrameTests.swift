import MediaCore
import PlayheadBackend
import Testing

@testable import PlaybackEngine
@testable import PlayheadTesting

@Suite("The first picture comes before those that a decoder would wait for")
struct FastFirstFrameTests {
    /// Without more than `packets` packets until second 5; eight pictures are held back.
    static func clip(_ packets: Int, delay: Int = 8, _ faults: [ScriptedMedia.Fault] = []) -> ScriptedMedia {
        var video = ScriptedMedia.Video(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: 2)
        video.delay = delay
        return ScriptedMedia(video: video, faults: faults + [.stall(atPacket: packets, until: 5)])
    }

    @Test(
        "Two packets are enough to show it, and then comes each once",
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

    @Test("One packet is not: the next may have to be shown first")
    func waitsForTheNext() {
        let bench = EngineTestBench()
        bench.load(Self.clip(1))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers.isEmpty)
    }

    @Test("So it is where a quick seek lands")
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

    @Test("Where it cannot be decoded it is told of once, and the others play")
    func undecodable() {
        let bench = EngineTestBench()
        bench.load(Self.clip(50, [.undecodable(frame: 0)]))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(1..<50))
        #expect(bench.lines("fault").count == 1)
    }

    @Test(
        "A decoder that refuses to be drained for it goes on, and tells of the packet once",
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

    @Test("A packet that is refused while the picture waits to come again does not bring it twice")
    func fault() {
        let bench = EngineTestBench()
        bench.load(Self.clip(1000, [.undecodable(frame: 3)]))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == (0..<50).filter { $0 != 3 })
        #expect(bench.lines("fault").count == 1)
    }

    @Test("A loop brings no picture twice")
    func loops() {
        let bench = EngineTestBench()
        bench.loop.send(.setRepeat(.loop))
        bench.load(Self.clip(1000))
        bench.loop.send(.setRate(1))
        bench.driver.run(until: HostTime(nanoseconds: 3_990_000_000))
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0..<50))
    }

    @Test("Half a picture is not shown: the other field may be in the next packet")
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

    @Test("Switched off, or for sound, nothing is wrapped around a decoder")
    func isAnOption() {
        let media = Self.clip(1000)
        let tracks = media.describe().tracks
        let decoder = ScriptedDecoder(media, track: ScriptedMedia.videoTrack)
        var options = DecoderOptions()
        #expect(FastFirstFrameDecoder.wrap(decoder, of: tracks[0], options) is FastFirstFrameDecoder)
        options.decodesFirstFrameAlone = false
        #expect(FastFirstFrameDecoder.wrap(decoder, of: tracks[0], options) is ScriptedDecoder)
        options.decodesFirstFrameAlone = true
        let sound = ScriptedMedia(audio: .init(sampleCount: 1))
        let plain = ScriptedDecoder(sound, track: ScriptedMedia.audioTrack)
        #expect(FastFirstFrameDecoder.wrap(plain, of: sound.describe().tracks[0], options) is ScriptedDecoder)
    }

    @Test("Around a decoder: the same frames in the same order, the first one after two packets")
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
            storage: NoPicture()
        )
    }

    @Test("Of what is decoded again, nothing comes twice and nothing too late")
    func again() {
        var early = FastFirstFrame()
        early.begin(isWanted: true)
        early.sent(Self.packet(80, isKey: true))
        _ = early.isFirst(before: Self.packet(120))
        early.drain()
        let told = [80, 120].map { early.isNew(Self.frame($0)) }
        early.drained()
        early.sentAgain()
        // Against the rules of its codec, one that should have been first.
        #expect(
            told + [0, 80, 120, 80].map { early.isNew(Self.frame($0)) } == [
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
        "Which packets allow it",
        arguments: [
            (packet(0, isKey: true), packet(120), true), (packet(80, isKey: true), packet(0), false),
            (packet(80, isKey: true), packet(80), false), (packet(0), packet(40), false),
            (packet(nil, isKey: true), packet(40), false), (packet(0, isKey: true), packet(nil), false),
            (packet(0, isKey: true), nil, false),
        ] as [(Packet, Packet?, Bool)]
    )
    func allowed(first: Packet, next: Packet?, isAllowed: Bool) {
        var early = FastFirstFrame()
        early.begin(isWanted: true)
        let wasFirst = early.isFirst(before: first)
        early.sent(first)
        let isFirst = early.isFirst(before: next)
        // What was found out stays so.
        let isStillFirst = early.isFirst(before: Self.packet(1000))
        #expect([wasFirst, isFirst, isStillFirst] == [false, isAllowed, isAllowed])
    }
}

private final class ScriptedMarker: PacketPayload {}

private final class NoPicture: VideoFrameStorage {
    var byteCount: Int { 0 }
    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R { try body([]) }
}
