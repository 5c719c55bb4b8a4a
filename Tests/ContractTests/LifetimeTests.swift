import Playhead
import PlayheadTesting
import Testing

@Suite("Contract: lifetimes, and callbacks that call back")
struct LifetimeTests {
    private final class Weak {
        weak var player: Player?
        weak var item: PlayerItem?
        init(_ player: Player, _ item: PlayerItem) {
            self.player = player
            self.item = item
        }
    }

    @Test("A thousand players made, played, sought and dropped leave nothing behind")
    func thousand() {
        var left: [Weak] = []
        let answers = Locked(0)
        for number in 0..<1000 {
            let driver = ManualDriver()
            do {
                let scripts = Scripts(clock: driver.clock)
                let player = Scene.makePlayer(driver, scripts)
                let item = PlayerItem(asset: Asset(url: scripts.add(Scene.clip()), backend: scripts))
                left.append(Weak(player, item))
                player.play()
                player.replaceCurrentItem(with: item)
                // Some go before they have opened anything, some in the middle.
                for _ in 0..<(number % 60) { driver.step() }
                player.seek(to: .ms(1000), toleranceBefore: .zero, toleranceAfter: .zero) { _ in
                    answers.withLock { $0 += 1 }
                }
            }
            driver.run(seconds: 10)
            #expect(!driver.step())
        }
        #expect(left.allSatisfy { $0.player == nil && $0.item == nil })
        #expect(answers.withLock { $0 } == 1000)
    }

    @Test("The last reference may go inside a callback of the player's own")
    func releasedInside() {
        let driver = ManualDriver()
        let scripts = Scripts(clock: driver.clock)
        let held = Locked<Player?>(Scene.makePlayer(driver, scripts))
        weak var weakly: Player?
        weakly = held.withLock { $0 }
        let calls = Locked(0)
        let token = weakly?.onEvent { _ in
            calls.withLock { $0 += 1 }
            held.withLock { $0 = nil }
        }
        weakly?.replaceCurrentItem(
            with: PlayerItem(asset: Asset(url: scripts.add(Scene.clip()), backend: scripts))
        )
        driver.run(seconds: 5)
        #expect(weakly == nil)
        #expect(calls.withLock { $0 } == 1, "nothing is told after the end")
        token?.invalidate()
    }

    @Test(
        "Released in the middle of anything: an opening, a stall, a seek, a seam, an end",
        arguments: 0..<40
    )
    func released(moment: Int) {
        weak var player: Player?
        weak var sink: CapturingVideoSink?
        do {
            let scene = Scene(seed: UInt64(moment))
            player = scene.player
            sink = scene.sink
            scene.player.repeatMode = moment % 2 == 0 ? .loop : .once
            scene.load(moment % 3 == 0 ? Scene.halting : Scene.clip())
            scene.player.play()
            scene.driver.run(until: .ms(Int64(moment) * 100))
            scene.seek("seek", to: .ms(300))
            for _ in 0..<(moment % 7) { scene.driver.step() }
        }
        #expect(player == nil)
        #expect(sink == nil)
    }

    @Test("Every callback may call anything of the player that calls it")
    func callsBack() {
        let scene = Scene()
        let player = scene.player
        let count = Locked(0)
        let second = scene.makeItem()
        @Sendable func disturb(_ player: Player?) {
            guard let player else { return }
            let turn = count.withLock { count in
                count += 1
                return count
            }
            guard turn < 200 else { return }
            switch turn % 8 {
            case 0: player.pause()
            case 1: player.play()
            case 2: player.seek(to: .ms(Int64(turn) * 7))
            case 3: player.currentItem?.cancelPendingSeeks()
            case 4: player.actionAtItemEnd = turn % 3 == 0 ? .none : .pause
            case 5: player.automaticallyWaitsToMinimizeStalling.toggle()
            case 6: player.rate = 2
            default: player.replaceCurrentItem(with: turn % 5 == 0 ? second : player.currentItem)
            }
            _ = (player.currentTime(), player.timeControlStatus, player.reasonForWaitingToPlay, player.rate)
        }
        let tokens = [
            player.onEvent { [weak player] _ in disturb(player) },
            player.observe(\.timeControlStatus) { player, _ in disturb(player) },
            player.observe(\.rate) { player, _ in disturb(player) },
            player.addPeriodicTimeObserver(forInterval: .ms(50)) { [weak player] _ in disturb(player) },
            player.addBoundaryTimeObserver(forTimes: [.ms(300)]) { [weak player] in disturb(player) },
        ]
        scene.load()
        player.play()
        scene.driver.run(seconds: 30)
        #expect(count.withLock { $0 } >= 200, "it was disturbed all the way")
        for token in tokens { token.invalidate() }
        player.replaceCurrentItem(with: scene.makeItem())
        player.rate = 1
        scene.driver.run(seconds: 1)
        #expect(scene.sight == "1.0 playing")
        #expect(player.currentTime() == .ms(1000))
    }

    @Test("shutdown() answers once, finishes the sinks, and nothing is told after it")
    func shutdown() {
        let scene = Scene()
        scene.load()
        scene.player.play()
        scene.driver.run(seconds: 0.5)
        _ = scene.told()
        let done = Locked(0)
        scene.player.shutdown { done.withLock { $0 += 1 } }
        scene.driver.run(seconds: 5)
        #expect(done.withLock { $0 } == 1)
        #expect(scene.sink.calls.filter { $0 == .finish }.count == 1)
        #expect(scene.told().isEmpty)
        scene.player.play()
        scene.seek("late", to: .zero)
        scene.driver.run(seconds: 1)
        #expect(scene.told() == ["late false"])
    }
}
