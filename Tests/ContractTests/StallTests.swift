import Playhead
import PlayheadTesting
import Testing

// Rule: stalls
/// Tests stalls with a script whose first second is available at once, and the rest from second 5 on.
@Suite("Contract: stalls")
struct StallTests {
    /// Plays the script and returns all reported lines, including the state that a reader sees during the stall.
    private func play(_ bench: PlayerTestBench<Player>) -> [String] {
        bench.load(.haltingClip)
        _ = bench.takeLines()
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.player.currentTime() == .ms(1000), "time does not advance without data")
        bench.addLine("at 3 s: \(bench.stateLine)")
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50), "each frame is shown once")
        #expect(bench.driver.now == .ms(6000))
        return bench.takeLines()
    }

    @Test("With automatic waiting the rate stays, and playback resumes by itself, in this order of events")
    func waits() {
        #expect(PlayerTestBench(.silentClip()).player.automaticallyWaitsToMinimizeStalling)
        #expect(
            play(PlayerTestBench(.silentClip())) == [
                "rate 0.0 -> 1.0 setRateCalled",
                "status playing",
                "stalled",
                "empty true",
                "keepUp false",
                "status waitingToPlayAtSpecifiedRate toMinimizeStalls",
                "at 3 s: 1.0 waitingToPlayAtSpecifiedRate toMinimizeStalls",
                "empty false",
                "keepUp true",
                "status playing",
                "full true",
                "end",
                "rate 1.0 -> 0.0 itemEnded",
                "status paused",
            ]
        )
    }

    @Test("Without automatic waiting the rate drops to 0 and returns by itself, in this order of events")
    func drops() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.automaticallyWaitsToMinimizeStalling = false
        #expect(
            play(bench) == [
                "rate 0.0 -> 1.0 setRateCalled",
                "status playing",
                "stalled",
                "empty true",
                "keepUp false",
                "rate 1.0 -> 0.0 stalled",
                "status paused",
                "at 3 s: 0.0 paused",
                "empty false",
                "keepUp true",
                "rate 0.0 -> 1.0 resumedAfterStall",
                "status playing",
                "full true",
                "end",
                "rate 1.0 -> 0.0 itemEnded",
                "status paused",
            ]
        )
    }

    @Test("Without automatic waiting and automatic resuming the player stays stopped until it is played")
    func staysStopped() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.automaticallyWaitsToMinimizeStalling = false
        bench.player.resumesAfterStall = false
        bench.load(.haltingClip)
        bench.player.play()
        bench.driver.run(seconds: 30)
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.player.currentTime() == .ms(1000))
        bench.player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
    }

    @Test(
        "A pause during a stall keeps the player paused, with and without automatic waiting",
        arguments: [true, false]
    )
    func paused(waits: Bool) {
        let bench = PlayerTestBench(.silentClip())
        bench.player.automaticallyWaitsToMinimizeStalling = waits
        bench.load(.haltingClip)
        bench.player.play()
        bench.driver.run(seconds: 3)
        bench.player.pause()
        bench.driver.run(seconds: 30)
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.player.currentTime() == .ms(1000))
    }

    @Test(
        "Automatic waiting that is switched off during a stall keeps the rate, and playback resumes with the data"
    )
    func waitingSwitchedOff() {
        let bench = PlayerTestBench(.silentClip())
        bench.load(.haltingClip)
        bench.player.play()
        bench.driver.run(seconds: 3)
        bench.player.automaticallyWaitsToMinimizeStalling = false
        bench.driver.run(seconds: 1)
        #expect(bench.stateLine == "1.0 waitingToPlayAtSpecifiedRate evaluatingBufferingRate")
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
        #expect(
            bench.takeLines(of: "rate") == ["rate 0.0 -> 1.0 setRateCalled", "rate 1.0 -> 0.0 itemEnded"]
        )
    }

    @Test("Automatic waiting that is switched on after a stall changed the rate does not prevent its return")
    func waitingSwitchedOn() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.automaticallyWaitsToMinimizeStalling = false
        bench.load(.haltingClip)
        bench.player.play()
        bench.driver.run(seconds: 3)
        bench.player.automaticallyWaitsToMinimizeStalling = true
        #expect(bench.stateLine == "0.0 paused")
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == Array(0..<50))
    }

    @Test("No stall is reported before playback has begun, nor for a seek to missing data")
    func onlyWhilePlaying() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.play()
        bench.load(.silentClip([.stall(atPacket: 0, until: 5)]))
        bench.driver.run(seconds: 6)
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.takeLines(of: "stalled").isEmpty)

        let other = PlayerTestBench(.silentClip())
        other.load(.silentClip([.stall(atPacket: 35, until: 5)]))
        other.player.play()
        other.driver.run(seconds: 0.1)
        other.seek("seek", to: .ms(1500))
        other.driver.run(seconds: 3)
        #expect(other.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(other.player.currentTime() == .ms(1500))
        other.driver.run(atMost: 60)
        #expect(other.takeLines(of: "stalled", "seek ") == ["seek true"])
        #expect(other.videoSink.numbers == [0, 1, 2] + Array(37..<50))
    }
}
