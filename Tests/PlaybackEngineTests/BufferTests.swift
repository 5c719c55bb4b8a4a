import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

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

    private func start(of rig: Rig) -> HostTime? {
        var playing: HostTime?
        rig.driver.run(atMost: 60) {
            if rig.loop.snapshot.timeControl == .playing { playing = playing ?? rig.driver.now }
            return playing != nil
        }
        return playing
    }

    @Test("A file starts with a tenth of a second at hand, not with a single picture")
    func localStart() throws {
        let rig = Rig()
        rig.load(Self.clip([.trickles(speed: 0.5)]))
        rig.loop.send(.setRate(1))
        let seconds = try #require(start(of: rig)).nanoseconds
        // 0.1 s of both tracks at half speed; what is read is known to a packet, and asked for every 10 ms.
        #expect(seconds >= 120_000_000)
        #expect(seconds <= 300_000_000)
    }

    @Test("Over a network it starts with a second and resumes with two, each setting counts")
    func networkStart() throws {
        let rig = Rig()
        rig.load(Self.clip([.trickles(speed: 2)], isLocal: false))
        rig.loop.send(.setRate(1))
        let seconds = try #require(start(of: rig)).nanoseconds
        #expect(seconds >= 450_000_000)
        #expect(seconds <= 600_000_000)
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == Array(0..<100))
        #expect(rig.lines("playbackStalled").isEmpty)
    }

    @Test("Over a network data that comes too slowly is waited for until the rest will be there in time")
    func slowNetwork() throws {
        let rig = Rig()
        rig.load(Self.clip([.trickles(speed: 0.8)], isLocal: false))
        rig.loop.send(.setRate(1))
        // 4 s of media come in 5 s: begun one second in, the end is reached as its data comes.
        let seconds = try #require(start(of: rig)).nanoseconds
        #expect(seconds >= 1_000_000_000)
        #expect(seconds <= 1_400_000_000)
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers == Array(0..<100))
        #expect(rig.lines("playbackStalled").isEmpty)
    }

    @Test("After a stall over a network two seconds must be at hand")
    func networkResume() {
        let rig = Rig()
        rig.load(Self.clip([.trickles(speed: 0.9)], isLocal: false))
        // At once, with next to nothing: it runs dry soon.
        rig.loop.send(.playImmediately(1))
        let isStalled = rig.driver.run(atMost: 60) { !rig.lines("playbackStalled").isEmpty }
        #expect(isStalled)
        let dry = rig.driver.now.nanoseconds
        #expect(dry < 1_000_000_000)
        #expect(rig.loop.snapshot.timeControl == .waitingToPlayAtSpecifiedRate)
        let resumed = start(of: rig)?.nanoseconds ?? 0
        // 2 s of media come in 2.22 s.
        #expect(resumed - dry >= 2_150_000_000)
        #expect(resumed - dry <= 2_400_000_000)
        rig.driver.run(atMost: 60)
        #expect(rig.lines("playbackStalled").count == 1)
        #expect(rig.sink.numbers == Array(0..<100))
    }

    @Test("While a seek waits for data the buffer is empty, not full, and not likely to keep up")
    func seekWaits() {
        let rig = Rig()
        rig.load(
            ScriptedMedia(
                video: .init(frameCount: 50, frameRate: 25, keyInterval: 10),
                faults: [.stall(atPacket: 35, until: 5)]
            )
        )
        rig.loop.send(.setRate(1))
        rig.driver.run(seconds: 0.1)
        #expect(!rig.loop.snapshot.level.isEmpty)
        rig.seek(1, to: .ms(1500))
        rig.driver.run(seconds: 0.1)
        #expect(rig.loop.snapshot.level == .empty)
        rig.driver.run(seconds: 5)
        #expect(!rig.loop.snapshot.level.isEmpty)
        #expect(rig.loop.snapshot.level.isLikelyToKeepUp)
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers.suffix(13) == Array(37..<50))
    }

    @Test("A seek into what has been read, ahead or behind, reads nothing and shows the same picture")
    func seeksWithoutReading() {
        let rig = Rig()
        let calls = Locked([ScriptedCall]())
        let clock = rig.driver.clock
        let item = MediaItem(makeDemuxer: {
            ScriptedDemuxer(Self.clip(), clock: clock) { call in calls.withLock { $0.append(call) } }
        })
        rig.loop.setItem(ItemID(1), MediaItemSource(item))
        rig.loop.send(.setRate(1))
        rig.driver.run(seconds: 1.5)
        rig.loop.send(.setRate(0))
        rig.driver.settle()
        calls.withLock { $0 = [] }
        for (number, time) in [(1, 2000), (2, 500), (3, 1480), (4, 0), (5, 2200)] as [(UInt64, Int64)] {
            rig.seek(number, to: .ms(time))
            rig.driver.run(seconds: 0.1)
            #expect(rig.sink.numbers.last == Int(time / 40))
            #expect(rig.lines("seek \(number) completed true").count == 1)
            // Reading ahead may go on from where it stood; nothing is read again.
            #expect(!calls.withLock { $0 }.contains(.seek))
        }
        let reads = calls.withLock { $0.count }
        rig.seek(6, to: .ms(1000))
        rig.driver.run(seconds: 0.1)
        #expect(calls.withLock { $0.count } == reads, "everything up to there was there")
        // The sound that follows is that of the place, to the sample.
        let before = rig.sound.samples.count
        rig.loop.send(.setRate(1))
        rig.driver.run(atMost: 60)
        let heard = Array(rig.sound.samples[before...])
        #expect(heard == (48_000..<192_000).map { Int16(truncatingIfNeeded: $0) })
        #expect(rig.sink.numbers.suffix(75) == Array(25..<100))
    }

    @Test("Nothing is kept where nothing may be: each seek asks the demuxer")
    func noBackBuffer() {
        let rig = Rig()
        let calls = Locked([ScriptedCall]())
        let clock = rig.driver.clock
        var rules = BufferRules.local
        rules.back.bytes = 0
        let item = MediaItem(
            makeDemuxer: {
                ScriptedDemuxer(Self.clip(), clock: clock) { call in calls.withLock { $0.append(call) } }
            },
            localRules: rules
        )
        rig.loop.setItem(ItemID(1), MediaItemSource(item))
        rig.loop.send(.setRate(1))
        rig.driver.run(seconds: 1.5)
        rig.seek(1, to: .ms(500))
        rig.driver.run(seconds: 0.1)
        #expect(calls.withLock { $0.filter { $0 == .seek }.count } == 1)
        rig.driver.run(atMost: 60)
        #expect(rig.sink.numbers.last == 99)
    }
}
