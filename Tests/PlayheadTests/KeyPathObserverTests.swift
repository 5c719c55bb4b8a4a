import Foundation
import Observation
import Playhead
import PlayheadTesting
import Synchronization
import Testing

/// The action of the next reading of `PlayerItem.slowStatus`, during which a change can be delivered.
private let firstReading = Locked<(@Sendable () -> Void)?>(nil)

extension PlayerItem {
    /// The status. It may change while the getter is called.
    fileprivate var slowStatus: Status {
        let status = status
        let body = firstReading.withLock { slot in
            defer { slot = nil }
            return slot
        }
        body?()
        return status
    }
}

// Rule: one-order
@Suite("Observers by key path")
struct KeyPathObserverTests {
    @Test(
        "An item without a player makes the initial call at once, and no further ones until it has a player"
    )
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

    @Test("A change that is delivered while an observer is being added is not missed")
    func changeDuringRegistration() {
        for isByKeyPath in [true, false] {
            let bench = PlayerTestBench()
            let (driver, item, log) = (bench.driver, bench.makeItem(), Column())
            bench.player.replaceCurrentItem(with: item)
            firstReading.withLock { $0 = { driver.run(atMost: 1) } }
            if isByKeyPath {
                let token = item.observe(\.slowStatus, options: [.initial, .new]) { _, change in
                    log.add("\(change.newValue ?? .failed)")
                }
                bench.driver.settle()
                token.invalidate()
            } else {
                let observation = item.observeValue(
                    reading: { item.slowStatus },
                    changeHandler: { _, _ in log.add("changed") }
                )
                log.add("\(observation.initialValue ?? .failed)")
                bench.driver.settle()
            }
            #expect(log.lines == ["readyToPlay"])
        }
    }

    @Test("Observers follow their item to its next player, and never see an older state after a newer one")
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
        // The first player is notified last.
        first.driver.run(atMost: 1)
        #expect(log.lines == ["readyToPlay"])
        #expect(item.status == .readyToPlay)
        #expect(first.player.currentItem == nil && second.player.currentItem === item)
        #expect(second.videoSink.numbers == [0])
        token.invalidate()
        second.player.replaceCurrentItem(with: nil)
        first.player.replaceCurrentItem(with: item)
        first.driver.run(atMost: 1)
        #expect(log.lines.count == 1)
    }

    @Test(
        "Pending notifications of the previous player are not delivered after those of the next one",
        arguments: 0..<20
    )
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
        let reported = log.lines
        #expect(reported.last == "readyToPlay")
        first.driver.run(atMost: 1)
        #expect(log.lines == reported)
        token.invalidate()
    }

    @Test("Observers follow their layer from player to player")
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
        // The sinks move, because work that stays enqueued would retain everything.
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

    @Test("An observer whose token was released, or that an earlier observer has ended, is not called")
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

    @Test("The initial call comes first, and earlier changes are not reported again")
    func lateObserver() {
        let bench = PlayerTestBench()
        let (player, log) = (bench.player, Column())
        // The change has been applied and not yet reported.
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

    @Test("Key paths through an optional item, and to errors, can be observed")
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
