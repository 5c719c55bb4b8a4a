import MediaCore
import PlaybackEngine
import PlayheadBackend
import PlayheadTesting
import Testing

/// A demuxer of scripted media whose reading begins at a later time, as that of a live presentation does.
private final class JoiningDemuxer: Demuxer {
    private let base: any Demuxer
    private let joinTime: MediaTime
    /// Whether a seek has moved the demuxer.
    private let hasSought = Locked(false)

    init(_ base: any Demuxer, at joinTime: MediaTime) {
        self.base = base
        self.joinTime = joinTime
    }

    func open() throws(MediaError) -> Poll<MediaDescription> {
        guard case .ready(var description) = try base.open() else { return .pending }
        description.joinTime = joinTime
        return .ready(description)
    }

    func read() throws(MediaError) -> Poll<Packet?> {
        while true {
            let next = try base.read()
            guard case .ready(let packet?) = next, !hasSought.withLock({ $0 }),
                (packet.presentationTime ?? .zero) < joinTime
            else { return next }
        }
    }

    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void> {
        hasSought.withLock { $0 = true }
        return try base.seek(to: target, preference: preference)
    }

    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder> {
        try base.makeDecoder(for: track, options: options)
    }

    func setEnabledTracks(_ ids: Set<Int>) { base.setEnabledTracks(ids) }
    func begin(_ epoch: Epoch) { base.begin(epoch) }
    func interrupt(before epoch: Epoch) { base.interrupt(before: epoch) }
    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) { base.setNoticeHandler(handler) }
    func cancel() { base.cancel() }
}

// Rule: stalls
@Suite("Buffer: media that begins to be read at a later time")
struct JoinTimeTests {
    @Test("Over a network playback starts with 1 s buffered from the time at which reading began")
    func start() throws {
        var media = ScriptedMedia(
            video: .init(frameCount: 100, frameRate: 25, keyInterval: 10),
            audio: .init(sampleCount: 192_000),
            faults: [.throttled(speed: 2)]
        )
        media.isLocal = false
        let bench = EngineTestBench()
        bench.load(media) { item in
            let makeDemuxer = item.makeDemuxer
            item.makeDemuxer = { JoiningDemuxer(makeDemuxer($0), at: .seconds(2)) }
        }
        bench.play()
        let isPlaying = bench.driver.run(atMost: 60) { bench.loop.snapshot.timeControl == .playing }
        #expect(isPlaying)
        // The media from 2 s on arrive after 1 s, and a second of them takes half a second.
        let seconds = bench.driver.now.nanoseconds
        #expect(seconds >= 1_450_000_000)
        #expect(seconds <= 2_000_000_000)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(50..<100))
        #expect(bench.lines("playbackStalled").isEmpty)
    }

    @Test("The position at which an item is opened is the time at which reading began, once that is known")
    func openingPosition() {
        let bench = EngineTestBench()
        bench.load(.clip(seconds: 4)) { item in
            let makeDemuxer = item.makeDemuxer
            item.makeDemuxer = { JoiningDemuxer(makeDemuxer($0), at: .seconds(2)) }
        }
        let positions = Locked<[MediaTime]>([])
        for _ in 0..<2 {
            bench.loop.perform { loop in
                let position = loop.openingPosition(of: ItemID(1)) ?? .invalid
                positions.withLock { $0.append(position) }
            }
            bench.driver.run(seconds: 0)
        }
        let expected: [MediaTime] = [.indefinite, .seconds(2)]
        #expect(positions.withLock { $0 } == expected)
    }
}
