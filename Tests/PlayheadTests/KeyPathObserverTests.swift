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
