import Playhead
import PlayheadTesting
import Testing

/// A script whose first second is there, and the rest from second 5 on.
@Suite("Contract: stalls")
struct StallTests {
    /// Everything that is told, and what a reader sees in the middle, from the start of playing on.
    private func play(_ scene: Scene) -> [String] {
        scene.load(Scene.halting)
        _ = scene.told()
        scene.player.play()
        scene.driver.run(seconds: 3)
        #expect(scene.player.currentTime() == .ms(1000), "time stands while nothing is there")
        scene.note("at 3 s: \(scene.sight)")
        scene.driver.run(atMost: 60)
        #expect(scene.sink.numbers == Array(0..<50), "each picture once, late or not")
        #expect(scene.driver.now == .ms(6000))
        return scene.told()
    }

    @Test("Waiting is on: the rate stays, and it plays on by itself, in this order")
    func waits() {
        #expect(
            play(Scene()) == [
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

    @Test("Waiting is off: the rate drops to 0 and comes back by itself, in this order")
    func drops() {
        let scene = Scene()
        scene.player.automaticallyWaitsToMinimizeStalling = false
        #expect(
            play(scene) == [
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

    @Test("Waiting is off and resuming too: it stays stopped until somebody plays it")
    func staysStopped() {
        let scene = Scene()
        scene.player.automaticallyWaitsToMinimizeStalling = false
        scene.player.resumesAfterStall = false
        scene.load(Scene.halting)
        scene.player.play()
        scene.driver.run(seconds: 30)
        #expect(scene.sight == "0.0 paused")
        #expect(scene.player.currentTime() == .ms(1000))
        scene.player.play()
        scene.driver.run(atMost: 60)
        #expect(scene.sink.numbers == Array(0..<50))
    }

    @Test("A pause during the stall is a pause, in both ways of waiting", arguments: [true, false])
    func paused(waits: Bool) {
        let scene = Scene()
        scene.player.automaticallyWaitsToMinimizeStalling = waits
        scene.load(Scene.halting)
        scene.player.play()
        scene.driver.run(seconds: 3)
        scene.player.pause()
        scene.driver.run(seconds: 30)
        #expect(scene.sight == "0.0 paused")
        #expect(scene.player.currentTime() == .ms(1000))
    }

    @Test("Waiting switched off in the middle of a stall: the rate is kept, and it goes on with what comes")
    func flippedOff() {
        let scene = Scene()
        scene.load(Scene.halting)
        scene.player.play()
        scene.driver.run(seconds: 3)
        scene.player.automaticallyWaitsToMinimizeStalling = false
        scene.driver.run(seconds: 1)
        #expect(scene.sight == "1.0 waitingToPlayAtSpecifiedRate evaluatingBufferingRate")
        scene.driver.run(atMost: 60)
        #expect(scene.sink.numbers == Array(0..<50))
        #expect(scene.told(of: "rate") == ["rate 0.0 -> 1.0 setRateCalled", "rate 1.0 -> 0.0 itemEnded"])
    }

    @Test("Waiting switched on after a stall took the rate: it comes back all the same")
    func flippedOn() {
        let scene = Scene()
        scene.player.automaticallyWaitsToMinimizeStalling = false
        scene.load(Scene.halting)
        scene.player.play()
        scene.driver.run(seconds: 3)
        scene.player.automaticallyWaitsToMinimizeStalling = true
        #expect(scene.sight == "0.0 paused")
        scene.driver.run(atMost: 60)
        #expect(scene.sink.numbers == Array(0..<50))
    }

    @Test("Nothing is said of a stall before playing has begun, nor for a seek into what is not there")
    func onlyWhilePlaying() {
        let scene = Scene()
        scene.player.play()
        scene.load(Scene.clip([.stall(atPacket: 0, until: 5)]))
        scene.driver.run(seconds: 6)
        #expect(scene.sight == "1.0 playing")
        #expect(scene.told(of: "stalled").isEmpty)

        let other = Scene()
        other.load(Scene.clip([.stall(atPacket: 35, until: 5)]))
        other.player.play()
        other.driver.run(seconds: 0.1)
        other.seek("seek", to: .ms(1500))
        other.driver.run(seconds: 3)
        #expect(other.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(other.player.currentTime() == .ms(1500))
        other.driver.run(atMost: 60)
        #expect(other.told(of: "stalled", "seek ") == ["seek true"])
        #expect(other.sink.numbers == [0, 1, 2] + Array(37..<50))
    }

    @Test("A seek out of the hole plays at once, and the stall is over")
    func seekOut() {
        let scene = Scene()
        scene.load(Scene.halting)
        scene.player.play()
        scene.driver.run(seconds: 2)
        scene.seek("back", to: .ms(200))
        scene.driver.run(seconds: 0.5)
        #expect(scene.sight == "1.0 playing")
        #expect(scene.player.currentTime() == .ms(700))
    }
}
