import MediaCore
import PlaybackEngine
import PlayheadBackend
import PlayheadTesting
import Testing

// Rule: stalls
@Suite("Buffer: amounts that playback requires, and seeks within it")
struct BufferTests {
    /// 4 s; a key frame every 0.4 s.
    static func clip(_ faults: [ScriptedMedia.Fault] = [], isLocal: Bool = true) -> ScriptedMedia {
        var media = ScriptedMedia(
            video: .init(frameCount: 100, frameRate: 25, keyInterval: 10, bFrames: 2),
            audio: .init(sampleCount: 192_000),
            faults: faults
        )
        media.isLocal = isLocal
        return media
    }

    private func start(of bench: EngineTestBench) -> HostTime? {
        var playing: HostTime?
        bench.driver.run(atMost: 60) {
            if bench.loop.snapshot.timeControl == .playing { playing = playing ?? bench.driver.now }
            return playing != nil
        }
        return playing
    }

    @Test("A file starts with 0.1 s buffered, not with a single frame")
    func localStart() throws {
        let bench = EngineTestBench()
        bench.load(Self.clip([.throttled(speed: 0.5)]))
        bench.loop.send(.setRate(1))
        let seconds = try #require(start(of: bench)).nanoseconds
        // 0.1 s of both tracks at half speed. Reading is measured in packets and retried every 10 ms.
        #expect(seconds >= 120_000_000)
        #expect(seconds <= 300_000_000)
    }

    @Test("Over a network playback starts with 1 s buffered")
    func networkStart() throws {
        let bench = EngineTestBench()
        bench.load(Self.clip([.throttled(speed: 2)], isLocal: false))
        bench.loop.send(.setRate(1))
        let seconds = try #require(start(of: bench)).nanoseconds
        #expect(seconds >= 450_000_000)
        #expect(seconds <= 600_000_000)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<100))
        #expect(bench.lines("playbackStalled").isEmpty)
    }

    @Test(
        "Over a network playback continues after the end of a track, while the other one is still being read",
        arguments: [(2.0, 20.0), (20.0, 2.0)]
    )
    func shorterTrack(audio: Double, video: Double) {
        var media = ScriptedMedia(
            video: .init(frameCount: Int(video * 25)),
            audio: .init(sampleCount: Int(audio * 48_000)),
            faults: [.throttled(speed: 2)]
        )
        media.isLocal = false
        let bench = EngineTestBench()
        bench.load(media)
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.lines("playbackStalled").isEmpty)
        #expect(bench.lines("playedToEnd").count == 1)
        #expect(bench.videoSink.numbers == Array(0..<Int(video * 25)))
        #expect(bench.audioSink.samples.count == Int(audio * 48_000))
    }

    @Test("Over a slow network playback starts once the rest is expected in time")
    func slowNetwork() throws {
        let bench = EngineTestBench()
        bench.load(Self.clip([.throttled(speed: 0.8)], isLocal: false))
        bench.loop.send(.setRate(1))
        // 4 s of media arrive in 5 s. Playback that starts after 1 s reaches the end when its data arrives.
        let seconds = try #require(start(of: bench)).nanoseconds
        #expect(seconds >= 1_000_000_000)
        #expect(seconds <= 1_400_000_000)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<100))
        #expect(bench.lines("playbackStalled").isEmpty)
    }

    @Test("After a stall over a network playback resumes with 2 s buffered")
    func networkResume() {
        let bench = EngineTestBench()
        bench.load(Self.clip([.throttled(speed: 0.9)], isLocal: false))
        // Playback starts immediately with almost no data, so it stalls soon.
        bench.loop.send(.playImmediately(1))
        let isStalled = bench.driver.run(atMost: 60) { !bench.lines("playbackStalled").isEmpty }
        #expect(isStalled)
        let dry = bench.driver.now.nanoseconds
        #expect(dry < 1_000_000_000)
        #expect(bench.loop.snapshot.timeControl == .waitingToPlayAtSpecifiedRate)
        let resumed = start(of: bench)?.nanoseconds ?? 0
        // 2 s of media arrive in 2.22 s.
        #expect(resumed - dry >= 2_150_000_000)
        #expect(resumed - dry <= 2_400_000_000)
        bench.driver.run(atMost: 60)
        #expect(bench.lines("playbackStalled").count == 1)
        #expect(bench.videoSink.numbers == Array(0..<100))
    }

    @Test("After a stall of a file playback resumes with 0.5 s buffered")
    func localResume() {
        let bench = EngineTestBench()
        bench.load(Self.clip([.throttled(speed: 0.9)]))
        bench.loop.send(.playImmediately(1))
        let isStalled = bench.driver.run(atMost: 60) { !bench.lines("playbackStalled").isEmpty }
        #expect(isStalled)
        let dry = bench.driver.now.nanoseconds
        let resumed = start(of: bench)?.nanoseconds ?? 0
        // 0.5 s of media arrive in 0.56 s.
        #expect(resumed - dry >= 500_000_000)
        #expect(resumed - dry <= 700_000_000)
    }

    @Test("While a seek waits for data the buffer is empty, not full and not likely to keep up")
    func seekWaits() {
        let bench = EngineTestBench()
        bench.load(
            ScriptedMedia(
                video: .init(frameCount: 50, frameRate: 25, keyInterval: 10),
                faults: [.stall(atPacket: 35, until: 5)]
            )
        )
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 0.1)
        #expect(!bench.loop.snapshot.level.isEmpty)
        bench.seek(1, to: .ms(1500))
        bench.driver.run(seconds: 0.1)
        #expect(bench.loop.snapshot.level == .empty)
        bench.driver.run(seconds: 5)
        #expect(!bench.loop.snapshot.level.isEmpty)
        #expect(bench.loop.snapshot.level.isLikelyToKeepUp)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(13) == Array(37..<50))
    }

    @Test("A seek within the buffer, ahead or back, reads nothing and shows the frame that is due")
    func seeksWithoutReading() {
        let bench = EngineTestBench()
        bench.load(Self.clip())
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 1.5)
        bench.loop.send(.setRate(0))
        bench.driver.settle()
        let seeks = bench.backend.counts.seeks
        for (number, time) in [(1, 2000), (2, 500), (3, 1480), (4, 0), (5, 2200)] as [(UInt64, Int64)] {
            bench.seek(number, to: .ms(time))
            bench.driver.run(seconds: 0.1)
            #expect(bench.videoSink.numbers.last == Int(time / 40))
            #expect(bench.lines("seek \(number) completed true").count == 1)
            // Reading ahead may continue, but nothing is read again.
            #expect(bench.backend.counts.seeks == seeks)
        }
        let reads = bench.backend.counts.reads
        bench.seek(6, to: .ms(1000))
        bench.driver.run(seconds: 0.1)
        #expect(bench.backend.counts.reads == reads, "everything up to the target was buffered")
        #expect(bench.backend.counts.seeks == seeks)
        // The audio that follows begins at the target, to the sample.
        let before = bench.audioSink.samples.count
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        let heard = Array(bench.audioSink.samples[before...])
        #expect(heard == (48_000..<192_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.videoSink.numbers.suffix(75) == Array(25..<100))
    }

    @Test(
        "What is read ahead is limited to a duration, also if packets declare none",
        arguments: [false, true]
    )
    func readAhead(declaresDurations: Bool) {
        // 100 s, and less than the limit of bytes.
        let media = ScriptedMedia(video: .init(frameCount: 2500, frameRate: 25, keyInterval: 10, bFrames: 2))
        let bench = EngineTestBench()
        let reads = Locked(0)
        let driver = bench.driver
        let item = MediaItem(makeDemuxer: { _ in
            ChangingDemuxer(ScriptedDemuxer(media, driver: driver)) { packet in
                reads.withLock { $0 += 1 }
                if !declaresDurations { packet.duration = nil }
            }
        })
        bench.loop.perform { $0.setItem(ItemID(1), MediaItemSource(item)) }
        bench.driver.run(atMost: 1)
        // One second of packets, and some frames that are decoded.
        #expect((25..<60).contains(reads.withLock { $0 }), "\(reads.withLock { $0 })")
        bench.seek(1, to: .ms(50_000))
        bench.driver.run(atMost: 1)
        #expect(reads.withLock { $0 } < 150, "\(reads.withLock { $0 })")
    }

    @Test("Without a back buffer each seek uses the demuxer")
    func noBackBuffer() {
        let bench = EngineTestBench()
        bench.load(Self.clip()) { $0.localRules.back.bytes = 0 }
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 1.5)
        bench.seek(1, to: .ms(500))
        bench.driver.run(seconds: 0.1)
        #expect(bench.backend.counts.seeks == 1)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.last == 99)
    }
}
