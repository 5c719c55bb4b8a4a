import Foundation
import Observation
import Playhead
import PlayheadTesting
import Synchronization
import Testing

@Suite("Observers by key path")
struct KeyPathObserverTests {
    @Test("An item without a player: the initial call at once, and nothing more until it has one")
    func initialOfLooseItem() {
        let bench = PlayerTestBench()
        let (item, log) = (bench.makeItem(), Column())
        let token = item.observe(\.status, options: [.initial, .new, .old]) { _, change in
            log.add("\(change.oldValue.map { "\($0)" } ?? "-") \(change.newValue.map { "\($0)" } ?? "-")")
        }
        #expect(log.lines == ["- unknown"])
        bench.driver.run(atMost: 1)
        #expect(log.lines == ["- unknown"])
        bench.player.replaceCurrentItem(with: item)
        bench.driver.run(atMost: 1)
        #expect(log.lines == ["- unknown", "unknown readyToPlay"])
        token.invalidate()
    }

    @Test("An item takes its observers to its next player, and nothing old is told after something new")
    func itemMoves() {
        let (first, second) = (PlayerTestBench(), PlayerTestBench())
        let (item, log) = (first.makeItem(), Column())
        let token = item.observe(\.status, options: .new) { _, change in
            log.add("\(change.newValue ?? .failed)")
        }
        first.player.replaceCurrentItem(with: item)
        first.driver.run(atMost: 1)
        second.player.replaceCurrentItem(with: item)
        second.driver.run(atMost: 1)
        // The first player hears of it last.
        first.driver.run(atMost: 1)
        #expect(log.lines == ["readyToPlay"])
        #expect(item.status == .readyToPlay)
        token.invalidate()
        second.player.replaceCurrentItem(with: nil)
        first.player.replaceCurrentItem(with: item)
        first.driver.run(atMost: 1)
        #expect(log.lines.count == 1)
    }

    @Test("What the last player had still to tell is not told after the next one's news", arguments: 0..<20)
    func lateNews(seed: UInt64) {
        let (first, second) = (PlayerTestBench(seed: seed), PlayerTestBench())
        let (item, log) = (first.makeItem(), Column())
        let token = item.observe(\.status, options: .new) { _, change in
            log.add("\(change.newValue ?? .failed)")
        }
        first.player.replaceCurrentItem(with: item)
        while item.status != .readyToPlay, first.driver.step() {}
        second.player.replaceCurrentItem(with: item)
        second.driver.run(atMost: 1)
        let told = log.lines
        #expect(told.last == "readyToPlay")
        first.driver.run(atMost: 1)
        #expect(log.lines == told)
        token.invalidate()
    }

    @Test("A layer's observers follow it from player to player")
    func layerMoves() {
        let (first, second) = (PlayerTestBench(), PlayerTestBench())
        let log = Column()
        let layer = first.layer
        let token = layer.observe(\.isReadyForDisplay, options: [.initial, .new]) { _, change in
            log.add("\(change.newValue ?? false)")
        }
        first.player.replaceCurrentItem(with: first.makeItem())
        first.driver.run(atMost: 1)
        #expect(log.lines == ["false", "true"])
        layer.player = second.player
        // The sinks go over: work that is left queued would hold everything.
        first.driver.settle()
        #expect(!layer.isReadyForDisplay)
        second.driver.run(atMost: 1)
        #expect(log.lines == ["false", "true", "false"])
        second.player.replaceCurrentItem(with: second.makeItem())
        second.driver.run(atMost: 1)
        #expect(log.lines == ["false", "true", "false", "true"])
        layer.player = nil
        second.driver.run(atMost: 1)
        #expect(log.lines == ["false", "true", "false", "true", "false"])
        token.invalidate()
    }

    @Test("A token that is released, or that an earlier observer has ended, is silent")
    func tokens() {
        let bench = PlayerTestBench()
        let (player, log) = (bench.player, Column())
        let later = Mutex<ObservationToken?>(nil)
        let first = player.observe(\.rate) { _, _ in
            log.add("first")
            later.withLock { $0 }?.invalidate()
        }
        later.withLock { $0 = player.observe(\.rate) { _, _ in log.add("second") } }
        var released: ObservationToken? = player.observe(\.rate, options: .initial) { _, _ in
            log.add("third")
        }
        _ = released
        released = nil
        player.play()
        bench.driver.settle()
        #expect(log.lines == ["first"])
        first.invalidate()
    }

    @Test("The first call comes first; what happened before is not told again")
    func lateObserver() {
        let bench = PlayerTestBench()
        let (player, log) = (bench.player, Column())
        // Done by the player, and not told yet.
        let before = Mutex<ObservationToken?>(nil)
        let early = player.observe(\.rate) { player, _ in
            let token = player.observe(\.timeControlStatus, options: [.initial, .new]) { _, change in
                log.add("\(change.newValue ?? .paused)")
            }
            before.withLock { $0 = token }
        }
        player.play()
        bench.driver.settle()
        #expect(log.lines == ["waitingToPlayAtSpecifiedRate"])
        early.invalidate()
        before.withLock { $0 = nil }
    }

    @Test("Through an optional item, and errors, too")
    func composedPaths() {
        let bench = PlayerTestBench(ScriptedMedia(faults: [.openFails(.io)]))
        let log = Column()
        let tokens = [
            bench.player.observe(\.currentItem?.status, options: .new) { _, change in
                log.add("\(change.newValue.flatMap { $0 }.map { "\($0)" } ?? "none")")
            },
            bench.player.observe(\.currentItem?.error?.code, options: .new) { _, change in
                log.add("\(change.newValue.flatMap { $0 }.map { "\($0)" } ?? "none")")
            },
        ]
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.driver.run(atMost: 1)
        #expect(log.lines == ["unknown", "failed", "io"])
        for token in tokens { token.invalidate() }
    }
}

@Suite("Swift's observation")
struct TrackingTests {
    /// Names what was announced while `body` ran.
    private func announced(by bench: PlayerTestBench<Player>, _ body: () -> Void) -> Set<String> {
        let names = Mutex(Set<String>())
        let player = bench.player
        func track(_ name: String, _ read: () -> Void) {
            withObservationTracking(read) { _ = names.withLock { $0.insert(name) } }
        }
        track("rate") { _ = player.rate }
        track("timeControlStatus") { _ = player.timeControlStatus }
        track("reason") { _ = player.reasonForWaitingToPlay }
        track("volume") { _ = player.volume }
        track("isMuted") { _ = player.isMuted }
        track("repeatMode") { _ = player.repeatMode }
        track("currentItem") { _ = player.currentItem }
        track("ready") { _ = bench.layer.isReadyForDisplay }
        body()
        return names.withLock { $0 }
    }

    @Test("A setter tells who tracks at once, of what is different and of nothing else")
    func setters() {
        let bench = PlayerTestBench()
        let player = bench.player
        #expect(announced(by: bench) { player.volume = 0.5 } == ["volume"])
        #expect(announced(by: bench) { player.volume = 0.5 }.isEmpty)
        #expect(announced(by: bench) { player.isMuted = true } == ["isMuted"])
        #expect(announced(by: bench) { player.repeatMode = .loop } == ["repeatMode"])
        #expect(announced(by: bench) { player.rate = 2 } == ["rate", "timeControlStatus", "reason"])
        #expect(announced(by: bench) { player.rate = 1 } == ["rate"])
        let item = bench.makeItem()
        let replacing = announced(by: bench) { player.replaceCurrentItem(with: item) }
        #expect(replacing == ["currentItem", "reason"])
        bench.driver.settle()
        #expect(announced(by: bench) { bench.layer.player = nil } == ["ready"])
        #expect(announced(by: bench) { bench.layer.player = player } == ["ready"])
    }

    @Test("What a setter has set and the player has not kept is told")
    func refused() {
        let bench = PlayerTestBench()
        let player = bench.player
        player.replaceCurrentItem(with: bench.makeItem())
        player.play()
        bench.driver.run(atMost: 60)
        #expect(player.rate == 0)
        // At the end there is nothing left to play: the rate falls back at once.
        player.play()
        #expect(player.rate == 1)
        let names = announced(by: bench) { bench.driver.settle() }
        #expect(names == ["rate", "timeControlStatus", "reason"])
        #expect(player.rate == 0)
    }

    @Test("Inside the callback the player is as it was, until the callback sets something")
    func insideTheCallback() async {
        let bench = PlayerTestBench()
        let (player, log) = (bench.player, Column())
        let item = bench.makeItem()
        let task = Mutex<Task<Float, Never>?>(nil)
        player.play()
        player.pause()
        withObservationTracking {
            _ = player.timeControlStatus
        } onChange: {
            // Setting something in here calls this again, from inside the setter.
            guard task.withLock({ $0 == nil }) else { return }
            // Told of waiting; paused long since.
            log.add("\(player.rate) \(player.timeControlStatus)")
            task.withLock { $0 = Task { player.rate } }
            player.rate = 3
            log.add("\(player.rate)")
        }
        bench.driver.settle()
        #expect(log.lines == ["1.0 waitingToPlayAtSpecifiedRate", "3.0"])
        player.rate = 4
        let later = task.withLock { $0 }
        #expect(await later?.value != 1)
        withExtendedLifetime(item) {}
    }

    #if compiler(>=6.2)
        @Test("Observations, the sequence, does not miss where things end")
        func observations() async {
            let bench = PlayerTestBench()
            let player = bench.player
            let values = Observations { player.volume }
            let last = Task {
                for await value in values where value == 0.25 { return value }
                return -1
            }
            for step in 0...75 { player.volume = 1 - Float(step) / 100 }
            bench.driver.settle()
            #expect(await last.value == 0.25)
        }
    #endif
}
