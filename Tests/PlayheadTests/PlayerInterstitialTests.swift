import Playhead
import PlayheadTesting
import Testing

// Rule: interstitials
/// Tests items of two seconds.
@Suite("Interstitials of a queue player")
struct PlayerInterstitialTests {
    @Test("An item that waits in the queue leaves it and plays once", arguments: [500, 1900] as [Int64])
    func queued(time: Int64) {
        let bench = PlayerTestBench(queue: 3)
        let player = bench.player
        player.play()
        bench.driver.run(until: .ms(time))
        player.playInterstitial(bench.items[1])
        bench.driver.run(seconds: 1)
        #expect(player.items() == [bench.items[1], bench.items[0], bench.items[2]])
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end", "end", "end"])
        #expect(bench.driver.now == .ms(6000))
        #expect(player.items().isEmpty)
    }
}
