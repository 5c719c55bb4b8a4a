import Playhead
import PlayheadTesting
import Testing

/// Tests actions after a stall that has set the rate to 0, before the awaited data arrives.
@Suite("Contract: actions during a stall")
struct StallSeekTests {
    /// Returns a player that has stalled at 1 s and is paused at rate 0. The remaining data is available from second 20
    /// on.
    private func stalled(at rate: Float = 1, of player: (Player) -> Void = { _ in }) -> PlayerTestBench<
        Player
    > {
        let bench = PlayerTestBench(.silentClip())
        bench.player.automaticallyWaitsToMinimizeStalling = false
        bench.load(.silentClip((25..<50).map { .stall(atPacket: $0, until: 20) }))
        bench.player.rate = rate
        bench.driver.run(seconds: 3)
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.player.currentTime() == .ms(1000))
        _ = bench.takeLines()
        return bench
    }

    @Test(
        "A seek to available data restores the rate",
        arguments: [0, 200, 400] as [Int64],
        [1, 2] as [Float]
    )
    func backward(target: Int64, rate: Float) {
        for tolerance in [MediaTime.zero, .positiveInfinity] {
            let bench = stalled(at: rate)
            bench.seek("sought", to: .ms(target), tolerance: tolerance)
            bench.driver.settle()
            #expect(bench.stateLine == "\(rate) playing")
            #expect(bench.currentItem.isPlaybackLikelyToKeepUp)
            #expect(
                bench.takeLines(of: "rate", "sought").sorted() == [
                    "rate 0.0 -> \(rate) resumedAfterStall", "sought true",
                ]
            )
        }
    }

    @Test(
        "A seek ahead to missing data restores the rate when data arrives",
        arguments: [1040, 1500]
    )
    func forward(target: Int64) {
        let bench = stalled()
        bench.seek("sought", to: .ms(target))
        bench.driver.run(seconds: 5)
        #expect(bench.stateLine == "0.0 paused")
        bench.driver.run(until: .ms(20_100))
        #expect(bench.stateLine == "1.0 playing")
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end", "stalled") == ["end"])
    }

    @Test("Of seeks ahead and back the last one applies")
    func several() {
        let bench = stalled()
        bench.seek("ahead", to: .ms(1500))
        bench.driver.run(seconds: 1)
        bench.seek("back", to: .ms(400))
        bench.driver.run(seconds: 0.2)
        #expect(bench.stateLine == "1.0 playing")
        #expect(bench.player.currentTime() == .ms(600))
        #expect(bench.takeLines(of: "ahead", "back") == ["ahead false", "back true"])
    }

    @Test("Playback that reaches the missing data again stalls once more, and the rate returns with the data")
    func again() {
        let bench = stalled()
        bench.seek("sought", to: .ms(400))
        bench.driver.run(seconds: 2)
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.takeLines(of: "stalled") == ["stalled"])
        bench.driver.run(until: .ms(20_500))
        #expect(bench.stateLine == "1.0 playing")
    }

    @Test(
        "A player that is paused, stepped or set not to resume stays paused at its position",
        arguments: 0..<4
    )
    func stays(what: Int) {
        let bench = stalled()
        switch what {
        case 0: bench.player.pause()
        case 1: bench.currentItem.step(byCount: -1)
        case 2: bench.player.resumesAfterStall = false
        default: bench.player.rate = 0
        }
        bench.driver.settle()
        bench.seek("sought", to: .ms(200))
        bench.driver.run(seconds: 30)
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.player.currentTime() == .ms(200))
    }

    @Test("A seek to the end restores the rate, and the end is reported once")
    func toTheEnd() {
        let bench = stalled()
        bench.seek("sought", to: .ms(2000))
        bench.driver.run(until: .ms(25_000))
        #expect(bench.takeLines(of: "end") == ["end"])
        #expect(bench.stateLine == "0.0 paused")
        #expect(bench.player.currentTime() == .ms(2000))
        bench.seek("again", to: .zero)
        bench.driver.run(seconds: 1)
        #expect(bench.stateLine == "0.0 paused", "an end does not count as a stall")
    }

    @Test("An item that replaces the stalled one is played, because the player was not paused")
    func replaced() {
        let bench = stalled(at: 2)
        bench.player.replaceCurrentItem(with: bench.makeItem(.silentClip()))
        bench.driver.run(seconds: 0.5)
        #expect(bench.stateLine == "2.0 playing")
        #expect(bench.player.currentTime() == .ms(1000))
    }

    @Test(
        "An item set after removing the stalled one is played, unless the player was paused in between",
        arguments: [true, false]
    )
    func removed(isPaused: Bool) {
        let bench = stalled()
        bench.player.replaceCurrentItem(with: nil)
        bench.driver.run(seconds: 1)
        if isPaused { bench.player.pause() }
        bench.load(.silentClip())
        bench.driver.run(seconds: 0.5)
        #expect(bench.stateLine == (isPaused ? "0.0 paused" : "1.0 playing"))
    }

    @Test("An explicit advance plays the next item of the queue")
    func advanced() {
        let bench = PlayerTestBench(queue: 1, of: .silentClip([.stall(atPacket: 25, until: 20)]))
        bench.player.automaticallyWaitsToMinimizeStalling = false
        bench.player.insert(bench.makeItem(.silentClip()), after: nil)
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.stateLine == "0.0 paused")
        bench.player.advanceToNextItem()
        bench.driver.run(seconds: 0.5)
        #expect(bench.stateLine == "1.0 playing")
    }

    @Test("Over a network a seek during a stall restores the rate once enough data has arrived")
    func network() {
        let bench = PlayerTestBench(.silentClip())
        bench.player.automaticallyWaitsToMinimizeStalling = false
        var media = ScriptedMedia(
            video: .init(frameCount: 500),
            faults: [.stall(atPacket: 25, until: 20)]
        )
        media.isLocal = false
        bench.load(media)
        bench.player.play()
        bench.driver.run(seconds: 3)
        #expect(bench.stateLine == "0.0 paused")
        bench.seek("sought", to: .ms(400))
        bench.driver.run(seconds: 1)
        #expect(bench.takeLines(of: "sought") == ["sought true"])
        #expect(
            bench.stateLine == (bench.currentItem.isPlaybackLikelyToKeepUp ? "1.0 playing" : "0.0 paused")
        )
        bench.driver.run(until: .ms(23_000))
        #expect(bench.stateLine == "1.0 playing")
    }

    @Test("With automatic waiting the rate was never changed, and playback continues after a seek")
    func waiting() {
        let bench = PlayerTestBench(.silentClip())
        bench.load(.silentClip([.stall(atPacket: 25, until: 20)]))
        bench.player.play()
        bench.driver.run(seconds: 3)
        for target in [200, 600] as [Int64] {
            bench.seek("sought", to: .ms(target))
            bench.driver.run(seconds: 0.1)
            #expect(bench.stateLine == "1.0 playing")
            #expect(bench.player.currentTime() == .ms(target + 100))
        }
    }
}

extension PlayerTestBench {
    /// The current item, or a new one if there is none.
    var currentItem: PlayerItem { player.currentItem ?? makeItem() }
}
