import Playhead
import PlayheadTesting
import Testing

// Rule: interruption
/// Tests incoming calls: the simulated device interrupts the audio, and ends the interruption later.
@Suite("Contract: interruptions")
struct InterruptionTests {
    typealias Bench = PlayerTestBench<Player>

    private static func playing(
        _ media: ScriptedMedia = .clip(),
        seed: UInt64? = nil
    ) -> Bench {
        let bench = Bench(media, audio: .device(), seed: seed)
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 1)
        _ = bench.takeLines()
        return bench
    }

    private static func interrupt(_ bench: PlaybackTestBench) {
        bench.audioDevice.beginInterruption()
        bench.driver.run(seconds: 0)
    }

    private static func restore(_ bench: PlaybackTestBench) {
        bench.audioDevice.endInterruption()
        bench.driver.run(seconds: 0)
    }

    @Test(
        "An interruption pauses with a reason, is reported, and ends with playback resuming: each sample plays once",
        arguments: [nil, 1, 2] as [UInt64?]
    )
    func resumes(seed: UInt64?) {
        let bench = Self.playing(seed: seed)
        #expect(bench.player.resumesAfterInterruption)
        Self.interrupt(bench)
        #expect(bench.player.isInterrupted)
        #expect(bench.stateLine == "0.0 paused")
        #expect(
            bench.takeLines() == [
                "interruptionBegan", "rate 1.0 -> 0.0 audioSessionInterrupted", "status paused",
            ]
        )
        let time = bench.player.currentTime()
        bench.driver.run(seconds: 10)
        #expect(bench.player.currentTime() == time)
        #expect(bench.audioDevice.calls.last { $0 == .pause || $0 == .resume } == .pause)
        Self.restore(bench)
        #expect(!bench.player.isInterrupted)
        #expect(
            bench.takeLines(of: "interruption", "rate", "status") == [
                "interruptionEnded resume true", "rate 0.0 -> 1.0 resumedAfterInterruption", "status playing",
            ]
        )
        bench.driver.run(atMost: 60)
        let samples = bench.audioDevice.heard.flatMap(\.samples).filter { $0 != 0 }
        let all = (0..<96_000).map { Int16(truncatingIfNeeded: $0) }.filter { $0 != 0 }
        #expect(samples == all)
        #expect(bench.videoSink.numbers == Array(0..<50))
    }

    @Test("With automatic resuming off the player stays paused, and the event says that it should resume")
    func staysPaused() {
        let bench = Self.playing()
        bench.player.resumesAfterInterruption = false
        Self.interrupt(bench)
        Self.restore(bench)
        bench.driver.run(seconds: 5)
        #expect(bench.stateLine == "0.0 paused")
        #expect(!bench.player.isInterrupted)
        #expect(bench.takeLines().contains("interruptionEnded resume true"))
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(bench.stateLine == "1.0 playing")
    }

    @Test(
        "A pause or play() during the interruption applies, and play() ends the interruption",
        arguments: [false, true]
    )
    func overruled(plays: Bool) {
        let bench = Self.playing()
        Self.interrupt(bench)
        bench.driver.run(seconds: 1)
        if plays { bench.player.play() } else { bench.player.pause() }
        bench.driver.run(seconds: 0.5)
        #expect(bench.player.isInterrupted == !plays)
        #expect(bench.player.rate == (plays ? 1 : 0))
        Self.restore(bench)
        bench.driver.run(seconds: 0.5)
        #expect(!bench.player.isInterrupted)
        #expect(bench.player.rate == (plays ? 1 : 0))
        #expect(
            bench.takeLines(of: "interruption") == ["interruptionBegan", "interruptionEnded resume false"]
        )
        // A second call arrives.
        bench.player.play()
        Self.interrupt(bench)
        #expect(bench.stateLine == "0.0 paused")
        Self.restore(bench)
        #expect(bench.player.rate == 1)
    }

    @Test("After a seek, a new item or a loop during the interruption, playback resumes at the new position")
    func elsewhere() {
        let bench = Self.playing()
        Self.interrupt(bench)
        bench.player.seek(to: .ms(1200), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentTime() == .ms(1200))
        #expect(bench.stateLine == "0.0 paused")
        Self.restore(bench)
        bench.driver.run(seconds: 0.5)
        #expect(bench.stateLine == "1.0 playing")
        Self.interrupt(bench)
        let item = bench.makeItem(.clip())
        bench.player.replaceCurrentItem(with: item)
        bench.player.repeatMode = .loop
        bench.driver.run(seconds: 1)
        #expect(bench.stateLine == "0.0 paused")
        #expect(item.currentTime() == .zero)
        Self.restore(bench)
        bench.driver.run(seconds: 5)
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.takeLines(of: "end").count == 2)
        // The interruption falls in the middle of a pass.
        Self.interrupt(bench)
        let time = item.currentTime()
        bench.driver.run(seconds: 5)
        Self.restore(bench)
        #expect(item.currentTime() == time)
        bench.driver.run(seconds: 5)
        #expect(bench.takeLines(of: "end").count == 2)
    }

    @Test(
        "Inaudible players are interrupted as well: muted, at volume 0, or without an audio track",
        arguments: 0..<3
    )
    func silent(kind: Int) {
        let bench = Self.playing(kind == 2 ? .silentClip() : .clip())
        if kind == 0 { bench.player.isMuted = true }
        if kind == 1 { bench.player.volume = 0 }
        Self.interrupt(bench)
        #expect(bench.stateLine == "0.0 paused")
        Self.restore(bench)
        #expect(bench.player.rate == 1)
    }

    @Test("The preloaded next item of a queue waits for the end of the interruption as well")
    func queue() {
        let bench = PlayerTestBench(queue: 2, audio: .device())
        bench.player.play()
        bench.driver.run(seconds: 1.9)
        Self.interrupt(bench)
        bench.driver.run(seconds: 5)
        #expect(bench.player.currentItem === bench.items[0])
        bench.player.advanceToNextItem()
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentItem === bench.items[1])
        #expect(bench.stateLine == "0.0 paused")
        Self.restore(bench)
        bench.driver.run(atMost: 60)
        #expect(bench.player.currentItem == nil)
    }

    @Test(
        "A stall and an interruption overlap, and playback resumes after both have ended, in either order",
        arguments: [true, false],
        [true, false]
    )
    func stalled(waits: Bool, dataComesFirst: Bool) {
        let bench = Bench(audio: .device())
        bench.player.automaticallyWaitsToMinimizeStalling = waits
        // Until second 5 only one second of the item is available.
        bench.load(.haltingClip)
        bench.player.play()
        bench.driver.run(seconds: 3)
        Self.interrupt(bench)
        #expect(bench.stateLine == "0.0 paused")
        bench.driver.run(seconds: dataComesFirst ? 5 : 1)
        #expect(bench.stateLine == "0.0 paused")
        Self.restore(bench)
        #expect(bench.player.rate == 1)
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
    }

    @Test(
        "A player that is released while interrupted leaves nothing behind, and a late device event has no effect"
    )
    func released() {
        var bench: Bench? = Self.playing()
        let device = bench!.audioDevice
        Self.interrupt(bench!)
        bench = nil
        device.endInterruption()
        #expect(device.calls.last == .finish)
    }
}
