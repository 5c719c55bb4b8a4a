import Dispatch
import Observation
import Playhead
import PlayheadTesting
import Testing

/// An observer of `Observation` is called inside the setter. What it sets is the later change, as if another thread had
/// set it.
@Suite("The engine applies changes in the order in which they are visible")
struct ChangeOrderTests {
    @Test("The item that was set last is the one that the engine opens", arguments: [false, true])
    func items(settlesByItself: Bool) {
        let bench = PlayerTestBench(settlesByItself: settlesByItself)
        let player = bench.player
        let (first, second) = (bench.makeItem(), bench.makeItem())
        withObservationTracking {
            _ = player.currentItem
        } onChange: {
            player.replaceCurrentItem(with: second)
        }
        player.replaceCurrentItem(with: first)
        bench.driver.settle()
        #expect(player.currentItem === second)
        #expect(first.status == .unknown && second.status == .readyToPlay)
    }

    @Test("An item that is inserted while the first one becomes current follows it")
    func queue() {
        let bench = PlayerTestBench(queue: 0)
        let player = bench.player
        let (first, second) = (bench.makeItem(), bench.makeItem())
        withObservationTracking {
            _ = player.currentItem
        } onChange: {
            player.insert(second, after: nil)
        }
        player.insert(first, after: nil)
        #expect(player.items() == [first, second])
        player.play()
        bench.driver.run(atMost: 60)
        #expect(bench.takeLines(of: "end") == ["end", "end"])
        #expect(bench.driver.now == .ms(4000))
        #expect(player.items().isEmpty)
    }

    @Test("An item can be sought as soon as it is visible that it is current", arguments: [false, true])
    func seek(settlesByItself: Bool) {
        let bench = PlayerTestBench(settlesByItself: settlesByItself)
        let player = bench.player
        let item = bench.makeItem()
        let results = Locked([Bool]())
        let hasSought = Locked(false)
        withObservationTracking {
            _ = player.currentItem
        } onChange: {
            // The seek changes properties itself, before this observation has ended.
            let wasSought = hasSought.withLock { value in
                defer { value = true }
                return value
            }
            guard !wasSought else { return }
            item.seek(to: .milliseconds(480), toleranceBefore: .zero, toleranceAfter: .zero) { isFinished in
                results.withLock { $0.append(isFinished) }
            }
        }
        player.replaceCurrentItem(with: item)
        bench.driver.settle()
        #expect(results.withLock { $0 } == [true])
        #expect(item.currentTime() == .milliseconds(480))
    }

    @Test("A rate with a time applies to the item that is visible, while another thread sets it")
    func restart() {
        let bench = PlayerTestBench()
        let player = bench.player
        for round in 0..<200 {
            let item = bench.makeItem()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                guard index == 1 else { return player.replaceCurrentItem(with: item) }
                while player.currentItem !== item {}
                player.setRate(0, time: .ms(480), atHostTime: .invalid)
            }
            bench.driver.settle()
            #expect(item.currentTime() == .ms(480), "round \(round)")
        }
    }

    @Test("The last seek in an item applies, while another thread sets the item")
    func soughtMeanwhile() {
        let bench = PlayerTestBench()
        let player = bench.player
        for round in 0..<500 {
            let item = bench.makeItem()
            let last = Locked(MediaTime.zero)
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                guard index == 1 else { return player.replaceCurrentItem(with: item) }
                var count: Int64 = 0
                repeat {
                    count += 1
                    let target = MediaTime.ms(40 * (1 + count % 40))
                    last.withLock { $0 = target }
                    item.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
                } while player.currentItem !== item
            }
            bench.driver.settle()
            #expect(item.currentTime() == last.withLock { $0 }, "round \(round)")
        }
    }

    @Test("A seek in an item of a queue that becomes current just then applies")
    func soughtAtItsTurn() {
        let driver = SuspendingDriver()
        let backend = ScriptedBackend(.silentClip(), driver: driver)
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        configuration.audio = .none
        configuration.backend = backend
        let items = [backend.makeItem(), backend.makeItem()]
        let player = QueuePlayer(items: items, configuration: configuration)
        let layer = PlayerLayer(player: player)
        layer.add(CapturingVideoSink(clock: driver.clock))
        player.play()
        driver.inner.run(seconds: 1.9)
        #expect(player.currentItem === items[0] && backend.openCount(of: items[1].asset.url) == 1)
        // The item begins after the seek has found it in the queue.
        driver.suspend { driver.inner.run(seconds: 0.2) }
        items[1].seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(player.currentItem === items[1])
        driver.inner.run(seconds: 0.1)
        #expect(items[1].currentTime() >= .ms(1000))
        layer.player = nil
    }

    @Test("An item that another player gets while it is moved leaves that player", arguments: 0..<3)
    func moved(way: Int) {
        let bench = PlayerTestBench(.silentClip())
        let configuration = bench.player.configuration
        let between = Player(configuration: configuration)
        let last = QueuePlayer(playerItem: way == 0 ? nil : bench.makeItem(), configuration: configuration)
        let item = bench.load()
        withObservationTracking {
            _ = bench.player.currentItem
        } onChange: {
            between.replaceCurrentItem(with: item)
        }
        switch way {
        case 0: last.replaceCurrentItem(with: item)
        case 1: last.insert(item, after: nil)
        default: last.playInterstitial(item)
        }
        #expect(bench.player.currentItem == nil && between.currentItem == nil)
        bench.driver.settle()
        // An interstitial is in the queue once it has begun.
        #expect(between.currentItem == nil && (way == 2 || last.items().contains(item)))
    }

    @Test("An item that becomes current while it is to be an interstitial does not interrupt itself")
    func interstitial() {
        let bench = PlayerTestBench(queue: 1, of: .silentClip())
        let player = bench.player
        let other = Player(configuration: player.configuration)
        let item = bench.makeItem()
        other.replaceCurrentItem(with: item)
        withObservationTracking {
            _ = other.currentItem
        } onChange: {
            player.replaceCurrentItem(with: item)
        }
        player.playInterstitial(item)
        player.play()
        bench.driver.run(seconds: 1)
        #expect(player.currentItem === item && player.primaryItem == nil)
        #expect(item.currentTime() == .milliseconds(1000))
    }

    @Test("The rate that was set last applies")
    func rate() {
        let bench = PlayerTestBench()
        let player = bench.player
        bench.load()
        withObservationTracking {
            _ = player.rate
        } onChange: {
            player.pause()
        }
        player.play()
        bench.driver.settle()
        #expect(player.rate == 0 && player.timeControlStatus == .paused)
    }

    @Test("The volume that was set last is the last one that is reported")
    func volume() {
        let bench = PlayerTestBench()
        let player = bench.player
        let volumes = Locked([Float]())
        let token = player.onEvent { timed in
            if case .volumeChanged(let volume) = timed.event { volumes.withLock { $0.append(volume) } }
        }
        withObservationTracking {
            _ = player.volume
        } onChange: {
            player.volume = 0.25
        }
        player.volume = 0.5
        bench.driver.settle()
        #expect(player.volume == 0.25)
        #expect(volumes.withLock { $0 } == [0.5, 0.25])
        token.invalidate()
    }
}
