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
    static func clip(
        _ packets: Int,
        delay: Int = 8,
        bFrames: Int = 2,
        _ faults: [ScriptedMedia.Fault] = []
    ) -> ScriptedMedia {
        var video = ScriptedMedia.Video(frameCount: 50, frameRate: 25, keyInterval: 10, bFrames: bFrames)
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

    /// Makes the decoders of a script's track as an item does.
    private func makeDecoder(
        _ media: ScriptedMedia,
        decodesAlone: Bool = true,
        decoded: (packet: Packet, frame: VideoFrame)? = nil
    ) throws -> any EpochDecoder {
        var options = DecoderOptions()
        options.decodesFirstFrameAlone = decodesAlone
        let track = try #require(media.describe().tracks.first)
        let factory = DecoderFactory(
            demuxer: PreparedDemuxer(media, decoded),
            options: options,
            duration: .zero,
            share: FrameCache(byteLimit: 0).makeShare(),
            loopSetting: LoopSetting(),
            reportFault: { _ in }
        )
        return try factory.makeDecoder(for: track).get()
    }

    @Test("The first frame is shown early only for video, if it is decoded alone or has been decoded")
    func isAnOption() throws {
        let media = Self.clip(1000)
        let audio = ScriptedMedia(audio: .init(sampleCount: 1))
        let decoded = (Self.packet(0), Self.frame(0))
        #expect(try makeDecoder(media) is FastFirstFrameDecoder)
        #expect(try makeDecoder(media, decodesAlone: false) is CachingDecoder)
        #expect(try makeDecoder(media, decodesAlone: false, decoded: decoded) is FastFirstFrameDecoder)
        #expect(try makeDecoder(Self.clip(1000, delay: 0, bFrames: 0)) is CachingDecoder)
        #expect(try makeDecoder(audio, decoded: decoded) is CachingDecoder)
    }

    /// Decodes all packets, and returns the times of the frames and the number of packets sent before the first.
    private func decode(
        _ packets: [Packet],
        with decoder: any EpochDecoder,
        from start: EpochStart = EpochStart(epoch: Epoch(1))
    ) throws -> (times: [MediaTime], sentBeforeFirst: Int) {
        decoder.begin(start)
        var packets = packets[...]
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
        return (times, sentBeforeFirst)
    }

    private static let times = (0..<50).map { MediaTime.ms($0 * 40) }

    @Test("The decorator returns the same frames in the same order, and the first one after two packets")
    func decorates() throws {
        let media = Self.clip(1000)
        let result = try decode(media.packets(), with: makeDecoder(media))
        #expect(result.times == Self.times && result.sentBeforeFirst == 1)
    }

    @Test(
        "A frame that has been decoded is returned after its packet, and once",
        arguments: [false, true],
        [0, 8]
    )
    func decoded(decodesAlone: Bool, delay: Int) throws {
        let media = Self.clip(1000, delay: delay)
        let packets = media.packets()
        for count in [1, 2, 50] {
            let alone = try decode([packets[0]], with: makeDecoder(media))
            let decoder = try makeDecoder(
                media,
                decodesAlone: decodesAlone,
                decoded: (packets[0], ScriptedFrame.frame(0, at: alone.times[0], packets[0]))
            )
            let plain = try decode(
                Array(packets.prefix(count)),
                with: makeDecoder(media, decodesAlone: false)
            )
            let result = try decode(Array(packets.prefix(count)), with: decoder)
            #expect(result.times == plain.times && result.sentBeforeFirst == 1)
            decoder.flush()
            #expect(try decode(packets, with: decoder).times == Self.times)
        }
    }

    @Test("A frame that has been decoded is not used for another packet, an exact seek or reverse playback")
    func decodedForOthers() throws {
        let media = Self.clip(1000)
        let packets = media.packets()
        let exact = EpochStart(epoch: Epoch(1), firstWanted: .zero)
        let reverse = EpochStart(epoch: Epoch(1), isReverse: true)
        let other = Self.packet(0, isKey: true)
        for (packet, start) in [
            (other, EpochStart(epoch: Epoch(1))), (packets[0], exact), (packets[0], reverse),
        ] {
            let decoder = try makeDecoder(media, decodesAlone: false, decoded: (packet, Self.frame(0)))
            let result = try decode(packets, with: decoder, from: start)
            #expect(result.times == Self.times && result.sentBeforeFirst > 1)
        }
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

/// The demuxer of a script, one of whose packets has been decoded.
private final class PreparedDemuxer: Demuxer {
    private let media: ScriptedMedia
    private let decoded: (packet: Packet, frame: VideoFrame)?

    init(_ media: ScriptedMedia, _ decoded: (packet: Packet, frame: VideoFrame)?) {
        self.media = media
        self.decoded = decoded
    }

    func open() -> Poll<MediaDescription> { .ready(media.describe()) }
    func setEnabledTracks(_ ids: Set<Int>) {}
    func read() -> Poll<Packet?> { .ready(nil) }
    func seek(to target: MediaTime, preference: SeekPreference) -> Poll<Void> { .ready(()) }
    func makeDecoder(for track: Int, options: DecoderOptions) -> Poll<any Decoder> {
        .ready(ScriptedDecoder(media, track: track))
    }
    func decodedFirstFrame(of track: Int) -> (packet: Packet, frame: VideoFrame)? { decoded }
    func cancel() {}
}

private final class EmptyFrameStorage: VideoFrameStorage {
    var byteCount: Int { 0 }
    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R { try body([]) }
}
