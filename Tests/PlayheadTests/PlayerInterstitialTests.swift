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

    @Test(
        "A seek of the interrupted item moves the position at which it continues, however the interstitial ends",
        arguments: 0..<3
    )
    func seek(way: Int) {
        let bench = PlayerTestBench(queue: 1, of: .silentClip())
        let (player, item) = (bench.player, bench.items[0])
        player.play()
        bench.driver.run(until: .ms(500))
        player.playInterstitial(bench.makeItem())
        bench.driver.run(until: .ms(1100))
        #expect(player.primaryItem === item && item.currentTime() == .ms(500))
        item.seek(to: .ms(1600), toleranceBefore: .zero, toleranceAfter: .zero) {
            [lineWriter = bench.lineWriter] finished in
            lineWriter("stored \(finished)")
        }
        #expect(item.currentTime() == .ms(1600))
        bench.driver.settle()
        #expect(bench.takeLines(of: "stored") == ["stored true"])
        switch way {
        case 0: bench.driver.run(until: .ms(2500))
        case 1: player.cancelInterstitial()
        default: player.replaceCurrentItem(with: item)
        }
        #expect(player.currentItem === item && player.currentTime() == .ms(1600))
        bench.driver.settle()
        #expect(player.currentTime() == .ms(1600))
        bench.driver.run(atMost: 60)
        // Without the seek, the item would continue at 0.5 s and end later.
        #expect(bench.driver.now == .ms(way == 0 ? 2900 : 1500))
        #expect(bench.videoSink.numbers.suffix(10) == Array(40..<50)[...])
    }

    @Test(
        "The next item begins at once if an interstitial is skipped whose interrupted item was removed",
        arguments: [false, true]
    )
    func skippedWithoutPrimary(isCancelled: Bool) {
        let bench = PlayerTestBench(queue: 2)
        let player = bench.player
        player.play()
        bench.driver.run(until: .ms(500))
        player.playInterstitial(bench.makeItem())
        bench.driver.run(until: .ms(1000))
        player.remove(bench.items[0])
        bench.driver.run(until: .ms(2000))
        if isCancelled { player.cancelInterstitial() } else { player.advanceToNextItem() }
        #expect(player.currentItem === bench.items[1])
        bench.driver.run(atMost: 60)
        #expect(bench.driver.now == .ms(4000))
        #expect(bench.videoSink.numbers.suffix(50) == Array(0..<50)[...])
    }

    @Test("A looper continues its pass if an interstitial is cancelled before its beginning is reported")
    func cancelledInLoop() {
        let bench = PlayerTestBench(queue: 0)
        let player = bench.player
        let range = MediaTimeRange(start: .ms(200), duration: .ms(1600))
        let looper = PlayerLooper(player: player, templateItem: bench.makeItem(), timeRange: range)
        let copy = looper.loopingPlayerItems[0]
        player.play()
        bench.driver.run(until: .ms(500))
        player.playInterstitial(bench.makeItem())
        while player.primaryItem == nil, bench.driver.step() {}
        #expect(player.primaryItem === copy)
        player.cancelInterstitial()
        bench.driver.settle()
        #expect(player.currentItem === copy && player.currentTime() == .ms(700))
        #expect(looper.loopCount == 0)
    }

    @Test("A looper counts a pass once if the interstitial within it is reported after its end")
    func lateReports() {
        let driver = DelayingDriver()
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        configuration.backend = backend
        let player = QueuePlayer(items: [], configuration: configuration)
        let layer = PlayerLayer(player: player)
        layer.add(CapturingVideoSink(clock: driver.clock))
        let looper = PlayerLooper(player: player, templateItem: backend.makeItem())
        let copies = looper.loopingPlayerItems
        player.play()
        driver.inner.run(until: .ms(500))
        driver.delayCallbacks()
        player.playInterstitial(backend.makeItem())
        // The interstitial ends at 2.5 s, and the interrupted copy at 4 s.
        driver.inner.run(until: .ms(4500))
        #expect(player.currentItem === copies[1] && looper.loopCount == 0)
        driver.runCallbacks()
        driver.inner.run(until: .ms(4600))
        #expect(looper.loopCount == 1)
        #expect(player.items() == [copies[1], copies[2], copies[0]])
        layer.player = nil
    }

    @Test("A looper that is disabled during an interstitial lets the interrupted pass play to its end")
    func disabledLooper() {
        let bench = PlayerTestBench(queue: 0)
        let player = bench.player
        let looper = PlayerLooper(player: player, templateItem: bench.makeItem())
        let copy = looper.loopingPlayerItems[0]
        let interstitial = bench.makeItem()
        player.play()
        bench.driver.run(until: .ms(500))
        player.playInterstitial(interstitial)
        bench.driver.run(until: .ms(1000))
        #expect(player.primaryItem === copy)
        looper.disableLooping()
        #expect(player.items() == [interstitial, copy])
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end", "end"])
        #expect(bench.driver.now == .ms(4000))
        #expect(player.items().isEmpty)
    }

    @Test("Criteria that change during an interstitial apply to the interrupted item when it continues")
    func criteria() {
        for isChanged in [false, true] {
            let bench = PlayerTestBench(queue: 1)
            let player = bench.player
            player.play()
            bench.driver.run(until: .ms(500))
            player.playInterstitial(bench.makeItem())
            bench.driver.run(until: .ms(1000))
            if isChanged {
                player.setMediaSelectionCriteria(
                    PlayerMediaSelectionCriteria(preferredLanguages: ["de"]),
                    forMediaCharacteristic: .audible
                )
            }
            bench.driver.run(until: .ms(2000))
            #expect(player.primaryItem === bench.items[0])
            let opened = bench.backend.opened.count
            bench.driver.run(until: .ms(3500))
            #expect(player.currentItem === bench.items[0])
            // Another choice of tracks opens the item again.
            #expect((bench.backend.opened.count > opened) == isChanged)
        }
    }

    // MARK: Calls while the engine begins an interstitial

    enum Call: CaseIterable, Sendable {
        case cancel, replace, set, advance

        func perform(on bench: PlayerTestBench<QueuePlayer>, _ interstitial: PlayerItem) {
            switch self {
            case .cancel: bench.player.cancelInterstitial()
            case .replace: bench.player.playInterstitial(bench.makeItem(PlayerInterstitialTests.short))
            case .set: bench.player.replaceCurrentItem(with: interstitial)
            case .advance: bench.player.advanceToNextItem()
            }
        }

        /// The number of items that leave the queue.
        var leavingCount: Int {
            switch self {
            case .cancel, .replace: 0
            case .set, .advance: 1
            }
        }
    }

    private static let short = ScriptedMedia(video: .init(frameCount: 5))

    @Test(
        "The player has the engine's item, at whatever step of beginning an interstitial it is called",
        arguments: Call.allCases
    )
    func atEachStep(call: Call) {
        for count in 0..<5000 {
            let bench = PlayerTestBench(queue: 2, of: .silentClip())
            let player = bench.player
            let reported = Locked<PlayerItem?>(nil)
            let token = player.onEvent { timed in
                if case .currentItemChanged(let item) = timed.event { reported.withLock { $0 = item } }
            }
            defer { withExtendedLifetime(token) {} }
            player.play()
            bench.driver.run(seconds: 0.5)
            let interstitial = bench.makeItem(Self.short)
            player.playInterstitial(interstitial)
            for _ in 0..<count { bench.driver.step() }
            if player.primaryItem != nil { return }
            call.perform(on: bench, interstitial)
            bench.driver.settle()
            var last = reported.withLock { $0 }
            #expect(player.currentItem === last, "after \(count) steps")
            // The interstitial has been played, if it has begun.
            bench.driver.run(seconds: 0.3)
            last = reported.withLock { $0 }
            #expect(player.currentItem === last, "after \(count) steps")
            #expect(player.items() == Array(bench.items[call.leavingCount...]), "after \(count) steps")
            #expect(player.primaryItem == nil)
        }
        Issue.record("the interstitial has not begun")
    }

    @Test("A seek in an interstitial applies, at whatever step of its beginning it is requested")
    func soughtAtEachStep() {
        for count in 0..<5000 {
            let bench = PlayerTestBench(queue: 1, of: .silentClip())
            let player = bench.player
            player.play()
            bench.driver.run(seconds: 0.5)
            let interstitial = bench.makeItem()
            player.playInterstitial(interstitial)
            for _ in 0..<count { bench.driver.step() }
            if player.primaryItem != nil { return }
            interstitial.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
            bench.driver.settle()
            #expect(player.currentItem === interstitial, "after \(count) steps")
            #expect(player.currentTime() == .ms(1000), "after \(count) steps")
        }
        Issue.record("the interstitial has not begun")
    }
}
