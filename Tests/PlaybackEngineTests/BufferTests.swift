import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: stalls
@Suite("What must be at hand to play, and what a seek into it costs")
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

    @Test("A file starts with a tenth of a second at hand, not with a single picture")
    func localStart() throws {
        let bench = EngineTestBench()
        bench.load(Self.clip([.throttled(speed: 0.5)]))
        bench.loop.send(.setRate(1))
        let seconds = try #require(start(of: bench)).nanoseconds
        // 0.1 s of both tracks at half speed; what is read is known to a packet, and asked for every 10 ms.
        #expect(seconds >= 120_000_000)
        #expect(seconds <= 300_000_000)
    }

    @Test("Over a network it starts with a second and resumes with two, each setting counts")
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

    @Test("Over a network data that comes too slowly is waited for until the rest will be there in time")
    func slowNetwork() throws {
        let bench = EngineTestBench()
        bench.load(Self.clip([.throttled(speed: 0.8)], isLocal: false))
        bench.loop.send(.setRate(1))
        // 4 s of media come in 5 s: begun one second in, the end is reached as its data comes.
        let seconds = try #require(start(of: bench)).nanoseconds
        #expect(seconds >= 1_000_000_000)
        #expect(seconds <= 1_400_000_000)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<100))
        #expect(bench.lines("playbackStalled").isEmpty)
    }

    @Test("After a stall over a network two seconds must be at hand")
    func networkResume() {
        let bench = EngineTestBench()
        bench.load(Self.clip([.throttled(speed: 0.9)], isLocal: false))
        // At once, with next to nothing: it runs dry soon.
        bench.loop.send(.playImmediately(1))
        let isStalled = bench.driver.run(atMost: 60) { !bench.lines("playbackStalled").isEmpty }
        #expect(isStalled)
        let dry = bench.driver.now.nanoseconds
        #expect(dry < 1_000_000_000)
        #expect(bench.loop.snapshot.timeControl == .waitingToPlayAtSpecifiedRate)
        let resumed = start(of: bench)?.nanoseconds ?? 0
        // 2 s of media come in 2.22 s.
        #expect(resumed - dry >= 2_150_000_000)
        #expect(resumed - dry <= 2_400_000_000)
        bench.driver.run(atMost: 60)
        #expect(bench.lines("playbackStalled").count == 1)
        #expect(bench.videoSink.numbers == Array(0..<100))
    }

    @Test("After a stall of a file half a second must be at hand")
    func localResume() {
        let bench = EngineTestBench()
        bench.load(Self.clip([.throttled(speed: 0.9)]))
        bench.loop.send(.playImmediately(1))
        let isStalled = bench.driver.run(atMost: 60) { !bench.lines("playbackStalled").isEmpty }
        #expect(isStalled)
        let dry = bench.driver.now.nanoseconds
        let resumed = start(of: bench)?.nanoseconds ?? 0
        // 0.5 s of media come in 0.56 s.
        #expect(resumed - dry >= 500_000_000)
        #expect(resumed - dry <= 700_000_000)
    }

    @Test("While a seek waits for data the buffer is empty, not full, and not likely to keep up")
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

    @Test("A seek into what has been read, ahead or behind, reads nothing and shows the same picture")
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
            // Reading ahead may go on from where it stood; nothing is read again.
            #expect(bench.backend.counts.seeks == seeks)
        }
        let reads = bench.backend.counts.reads
        bench.seek(6, to: .ms(1000))
        bench.driver.run(seconds: 0.1)
        #expect(bench.backend.counts.reads == reads, "everything up to there was there")
        #expect(bench.backend.counts.seeks == seeks)
        // The sound that follows is that of the place, to the sample.
        let before = bench.audioSink.samples.count
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        let heard = Array(bench.audioSink.samples[before...])
        #expect(heard == (48_000..<192_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(bench.videoSink.numbers.suffix(75) == Array(25..<100))
    }

    @Test("Nothing is kept where nothing may be: each seek asks the demuxer")
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
