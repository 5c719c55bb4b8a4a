import Observation
import Playhead
import PlayheadTesting
import Testing

// Rule: closing, release-order
@Suite("Contract: lifetimes, and reentrant callbacks")
struct LifetimeTests {
    private final class Weak {
        weak var player: Player?
        weak var item: PlayerItem?
        init(_ player: Player, _ item: PlayerItem) {
            self.player = player
            self.item = item
        }
    }

    @Test("A thousand players that are created, played, sought and released leave nothing behind")
    func thousand() {
        var left: [Weak] = []
        let answers = Locked(0)
        for number in 0..<1000 {
            let driver = ManualDriver()
            do {
                let scripts = ScriptedBackend(.silentClip(), driver: driver)
                let player = Player(configuration: Player.Configuration(driver: driver, backend: scripts))
                let item = scripts.makeItem()
                left.append(Weak(player, item))
                player.play()
                player.replaceCurrentItem(with: item)
                // Some players are released before they have opened anything, and some during playback.
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

    @Test("The last reference may be released inside a callback of the player itself")
    func releasedInside() {
        let driver = ManualDriver()
        let scripts = ScriptedBackend(.silentClip(), driver: driver)
        let configuration = Player.Configuration(driver: driver, backend: scripts)
        let held = Locked<Player?>(Player(configuration: configuration))
        weak var weakly: Player?
        weakly = held.withLock { $0 }
        let calls = Locked(0)
        let token = weakly?.onEvent { _ in
            calls.withLock { $0 += 1 }
            held.withLock { $0 = nil }
        }
        weakly?.replaceCurrentItem(with: scripts.makeItem())
        driver.run(seconds: 5)
        #expect(weakly == nil)
        #expect(calls.withLock { $0 } == 1, "no event follows the release")
        token?.invalidate()
    }

    @Test(
        "A player may be released during an opening, a stall, a seek, a loop restart or an end",
        arguments: 0..<40
    )
    func released(moment: Int) {
        weak var player: Player?
        weak var item: PlayerItem?
        weak var sink: CapturingVideoSink?
        do {
            let bench = PlayerTestBench(.silentClip(), seed: UInt64(moment))
            player = bench.player
            sink = bench.videoSink
            bench.player.repeatMode = moment % 2 == 0 ? .loop : .once
            item = bench.load(moment % 3 == 0 ? ScriptedMedia.haltingClip : ScriptedMedia.silentClip())
            let observer = bench.player.addPeriodicTimeObserver(forInterval: .ms(100)) { _ in }
            bench.player.play()
            bench.driver.run(until: .ms(Int64(moment) * 100))
            bench.seek("seek", to: .ms(300))
            for _ in 0..<(moment % 7) { bench.driver.step() }
            withExtendedLifetime(observer) {}
        }
        #expect(player == nil)
        #expect(item == nil)
        #expect(sink == nil)
    }

    @Test("Every callback may call any method of the player that calls it")
    func callsBack() {
        let bench = PlayerTestBench(.silentClip())
        let player = bench.player
        let count = Locked(0)
        let second = bench.makeItem()
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
        bench.load()
        player.play()
        bench.driver.run(seconds: 30)
        #expect(count.withLock { $0 } >= 200, "every callback called the player")
        for token in tokens { token.invalidate() }
        player.replaceCurrentItem(with: bench.makeItem())
        player.rate = 1
        bench.driver.run(seconds: 1)
        #expect(bench.stateLine == "1.0 playing")
        #expect(player.currentTime() == .ms(1000))
    }

    @Test("shutdown() completes once and finishes the sinks, and nothing is reported after it")
    func shutdown() {
        let bench = PlayerTestBench(.silentClip())
        bench.load()
        bench.player.play()
        bench.driver.run(seconds: 0.5)
        _ = bench.takeLines()
        let done = Locked(0)
        bench.player.shutdown { done.withLock { $0 += 1 } }
        bench.driver.run(seconds: 5)
        #expect(done.withLock { $0 } == 1)
        #expect(bench.videoSink.calls.filter { $0 == .finish }.count == 1)
        #expect(bench.takeLines().isEmpty)
        bench.player.play()
        bench.seek("late", to: .zero)
        bench.driver.run(seconds: 1)
        #expect(bench.takeLines() == ["late false"])
    }

    /// The changes that are made right before a player is released.
    private func set(_ player: Player) {
        player.rate = 0.5
        player.volume = 0.25
        player.isMuted = true
        player.repeatMode = .loop
        player.actionAtItemEnd = .none
        player.replaceCurrentItem(with: nil)
    }

    private static let set = [
        "rateChanged", "timeControlStatusChanged", "accessLogEntry", "volumeChanged", "mutedChanged",
        "repeatModeChanged", "passEnded", "readyForDisplayChanged", "currentItemChanged",
        "timeControlStatusChanged",
    ]

    @Test(
        "Changes made right before shutdown() are reported before the streams end, and no frame is shown for them",
        arguments: [nil, 1, 2, 3, 4, 5, 6, 7] as [UInt64?],
        [true, false]
    )
    func setBeforeShutdown(seed: UInt64?, isDropped: Bool) {
        let driver = ManualDriver(seed: seed)
        let scripts = ScriptedBackend(.silentClip(), driver: driver)
        var player: Player? = Player(configuration: Player.Configuration(driver: driver, backend: scripts))
        let sink = CapturingVideoSink(clock: driver.clock)
        let layer = PlayerLayer(player: player)
        layer.add(sink)
        player?.replaceCurrentItem(with: scripts.makeItem())
        driver.settle()
        let reported = Locked([String]())
        let token = player?.onEvent { timed in
            let name = String("\(timed.event)".prefix { $0 != "(" })
            if name != "effectiveRateChanged" { reported.withLock { $0.append(name) } }
        }
        let (shown, done) = (sink.numbers, Locked(0))
        if let player { set(player) }
        player?.shutdown { done.withLock { $0 += 1 } }
        player?.rate = 2
        layer.player = nil
        if isDropped { player = nil }
        driver.run(seconds: 5)
        #expect(reported.withLock { $0 } == Self.set)
        #expect(done.withLock { $0 } == 1)
        #expect(sink.numbers == shown)
        token?.invalidate()
    }

    @Test("Changes made right before a player is released are reported only by the setter itself")
    func setBeforeRelease() {
        let driver = ManualDriver()
        let scripts = ScriptedBackend(.silentClip(), driver: driver)
        var player: Player? = Player(configuration: Player.Configuration(driver: driver, backend: scripts))
        player?.replaceCurrentItem(with: scripts.makeItem())
        driver.settle()
        let (reported, tracked) = (Locked(0), Locked(0))
        let token = player?.onEvent { _ in reported.withLock { $0 += 1 } }
        withObservationTracking {
            _ = player?.rate
        } onChange: {
            tracked.withLock { $0 += 1 }
        }
        if let player { set(player) }
        player = nil
        driver.run(seconds: 5)
        #expect(reported.withLock { $0 } == 0)
        #expect(tracked.withLock { $0 } == 1)
        token?.invalidate()
    }

    @Test("On real threads observers and events report changes made right before shutdown()")
    func setBeforeShutdownOnThreads() async {
        for _ in 0..<50 {
            var configuration = Player.Configuration()
            configuration.audio = .none
            let player = Player(configuration: configuration)
            let events = player.events
            let volumes = Locked([Float]())
            let token = player.observe(\.volume) { player, _ in volumes.withLock { $0.append(player.volume) }
            }
            player.rate = 1
            player.volume = 0.5
            await player.shutdown()
            #expect(volumes.withLock { $0 } == [0.5])
            var names: [String] = []
            for await event in events { names.append(String("\(event)".prefix { $0 != "(" })) }
            #expect(names == ["rateChanged", "timeControlStatusChanged", "volumeChanged"])
            token.invalidate()
        }
    }
}
