import Foundation
import Observation
import Playhead
import PlayheadTesting
import Synchronization
import Testing

@Suite("Observation")
struct TrackingTests {
    /// Names the properties that were announced while `body` ran.
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
        track("isScrubbing") { _ = player.isScrubbing }
        track("repeatMode") { _ = player.repeatMode }
        track("currentItem") { _ = player.currentItem }
        track("ready") { _ = bench.layer.isReadyForDisplay }
        body()
        return names.withLock { $0 }
    }

    @Test("A setter notifies trackers at once of the properties that differ, and no others")
    func setters() {
        let bench = PlayerTestBench()
        let player = bench.player
        #expect(announced(by: bench) { player.volume = 0.5 } == ["volume"])
        #expect(announced(by: bench) { player.volume = 0.5 }.isEmpty)
        #expect(announced(by: bench) { player.isMuted = true } == ["isMuted"])
        #expect(announced(by: bench) { player.isScrubbing = true } == ["isScrubbing"])
        #expect(announced(by: bench) { player.isScrubbing = true }.isEmpty)
        #expect(announced(by: bench) { player.isScrubbing = false } == ["isScrubbing"])
        #expect(announced(by: bench) { player.repeatMode = .loop } == ["repeatMode"])
        #expect(announced(by: bench) { player.rate = 2 } == ["rate", "timeControlStatus", "reason"])
        #expect(announced(by: bench) { player.rate = 1 } == ["rate"])
        let item = bench.makeItem()
        let replacing = announced(by: bench) { player.replaceCurrentItem(with: item) }
        #expect(replacing == ["currentItem", "reason"])
        bench.driver.settle()
        #expect(announced(by: bench) { bench.layer.player = nil } == ["ready"])
        #expect(announced(by: bench) { bench.layer.player = player }.isEmpty)
        #expect(announced(by: bench) { bench.driver.settle() } == ["ready"])
    }

    @Test("A layer that loses its player notifies trackers, also before the last event of the player")
    func undeliveredReadiness() {
        let bench = PlayerTestBench()
        bench.player.replaceCurrentItem(with: bench.makeItem())
        bench.driver.settle()
        #expect(bench.layer.isReadyForDisplay)
        let names = announced(by: bench) {
            bench.player.replaceCurrentItem(with: nil)
            while bench.layer.isReadyForDisplay, bench.driver.step() {}
            bench.layer.player = nil
        }
        #expect(names.contains("ready"))
    }

    @Test("A value that the player does not keep is reported")
    func refused() {
        let bench = PlayerTestBench()
        let player = bench.player
        player.replaceCurrentItem(with: bench.makeItem())
        player.play()
        bench.driver.run(atMost: 60)
        #expect(player.rate == 0)
        // At the end nothing is left to play, so the rate returns to 0 at once.
        player.play()
        #expect(player.rate == 1)
        let names = announced(by: bench) { bench.driver.settle() }
        #expect(names == ["rate", "timeControlStatus", "reason"])
        #expect(player.rate == 0)
    }

    @Test("A callback sees the state of its event until it sets a property")
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
            // Setting a property here calls this handler again, inside the setter.
            guard task.withLock({ $0 == nil }) else { return }
            // The handler is notified of waiting, although the player has been paused since.
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
        @Test("The `Observations` sequence does not miss the final state")
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
