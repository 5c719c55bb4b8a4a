import Dispatch
import Playhead
import PlayheadTesting
import Testing

/// Tests that a pending seek is answered once if its item leaves the player, and that its event names the right item.
@Suite("Contract: seeks of items that leave the player")
struct SeekOutcomeTests {
    /// Records the answers of handlers and events as "name false" and "A false", where letters denote the items.
    private final class Answers: Sendable {
        private let state = Locked([String]())
        private let tokens = Locked([ObservationToken]())

        init(_ player: Player, _ items: PlayerItem...) {
            let token = player.onEvent { [state] timed in
                guard case .seekCompleted(let item, let finished) = timed.event else { return }
                let index = items.firstIndex { $0 === item }
                let name = index.map { String("ABC".dropFirst($0).prefix(1)) } ?? "?"
                state.withLock { $0.append("\(name) \(finished)") }
            }
            tokens.withLock { $0 = [token] }
        }

        func seek(_ name: String, _ item: PlayerItem, to time: MediaTime) {
            item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { [state] finished in
                state.withLock { $0.append("\(name) \(finished)") }
            }
        }

        func drain() -> [String] {
            state.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    enum Stage: CaseIterable, Sendable {
        /// The seek was just requested, waits for data, has another one waiting after it, or its item is not open.
        case asked, hanging, twice, opening
    }

    /// Starts seeks that stay pending in item A, and returns their names.
    private func pending<TestedPlayer: Player>(
        _ stage: Stage,
        _ bench: PlayerTestBench<TestedPlayer>,
        _ item: PlayerItem,
        _ answers: Answers
    ) -> [String] {
        if stage != .opening {
            bench.driver.settle()
            #expect(item.status == .readyToPlay)
        }
        answers.seek("one", item, to: .ms(1600))
        if stage != .asked { bench.driver.run(seconds: 0.1) }
        guard stage == .twice else { return stage == .opening ? ["one"] : ["one"] }
        answers.seek("two", item, to: .ms(1800))
        return ["one", "two"]
    }

    /// A clip whose data from 1 s on never arrives, so that a seek to that part does not finish.
    private static let hanging = ScriptedMedia.silentClip(
        (26..<50).map { .hang(atPacket: $0) } + [.hang(atPacket: 25)]
    )
    private static let neverOpens = ScriptedMedia.silentClip([.hang(atPacket: 0)])

    enum WayOut: CaseIterable, Sendable {
        case replaced, removed, moved
    }

    @Test(
        "A pending seek is answered false if its item is replaced, removed or given to another player",
        arguments: Stage.allCases,
        WayOut.allCases
    )
    func leaves(stage: Stage, way: WayOut) {
        let bench = PlayerTestBench(.silentClip())
        let (first, second) = (bench.makeItem(Self.hanging), bench.makeItem())
        let other = Player(configuration: bench.player.configuration)
        let answers = Answers(bench.player, first, second)
        let elsewhere = Answers(other, first, second)
        bench.player.replaceCurrentItem(with: first)
        let names = pending(stage, bench, first, answers)
        switch way {
        case .replaced: bench.player.replaceCurrentItem(with: second)
        case .removed: bench.player.replaceCurrentItem(with: nil)
        case .moved: other.replaceCurrentItem(with: first)
        }
        bench.driver.run(seconds: 1)
        #expect(answers.drain() == names.flatMap { ["\($0) false", "A false"] })
        #expect(elsewhere.drain() == [])
    }

    @Test(
        "A pending seek is answered false if its item is removed from a queue, advanced over or skipped",
        arguments: Stage.allCases,
        0..<4
    )
    func leavesQueue(stage: Stage, way: Int) {
        let bench = PlayerTestBench(queue: 0)
        let (first, second) = (bench.makeItem(Self.hanging), bench.makeItem())
        let answers = Answers(bench.player, first, second)
        bench.player.insert(first, after: nil)
        bench.player.insert(second, after: nil)
        let names = pending(stage, bench, first, answers)
        switch way {
        case 0: bench.player.remove(first)
        case 1: bench.player.advanceToNextItem()
        case 2: bench.player.replaceCurrentItem(with: second)
        default: bench.player.removeAllItems()
        }
        bench.driver.run(seconds: 1)
        #expect(answers.drain() == names.flatMap { ["\($0) false", "A false"] })
    }

    @Test("A pending seek is answered false once if its item fails, with the item that failed")
    func fails() {
        let bench = PlayerTestBench(queue: 0)
        let (first, second) = (bench.makeItem(.silentClip([.openFails(.notFound)])), bench.makeItem())
        let answers = Answers(bench.player, first, second)
        bench.player.insert(first, after: nil)
        bench.player.insert(second, after: nil)
        answers.seek("one", first, to: .ms(500))
        bench.driver.run(seconds: 1)
        #expect(answers.drain() == ["one false", "A false"])
        #expect(bench.player.currentItem === second)
    }

    @Test(
        "Pending seeks are answered false once if the player is released or shut down",
        arguments: Stage.allCases,
        [true, false]
    )
    func released(stage: Stage, isShutDown: Bool) async {
        let equipment = PlayerTestBench(.silentClip())
        var player: Player? = Player(configuration: equipment.player.configuration)
        let first = equipment.makeItem(Self.hanging)
        let answers = Answers(player!, first)
        player?.replaceCurrentItem(with: first)
        let names = pending(stage, equipment, first, answers)
        let reported = answers.drain().filter { !$0.hasPrefix("A") }
        if isShutDown { player?.shutdown {} } else { player = nil }
        equipment.driver.run(seconds: 1)
        player = nil
        equipment.driver.run(seconds: 1)
        let rest = names.map { "\($0) false" }.filter { !reported.contains($0) }
        // The event reports seeks that were superseded before a shutdown as well.
        #expect(answers.drain().filter { !isShutDown || !$0.hasPrefix("A") } == rest)
    }

    @Test("A seek that finishes before its item leaves is answered true once, with the item")
    func finished() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let (first, second) = (bench.makeItem(), bench.makeItem())
        let answers = Answers(bench.player, first, second)
        bench.load(first)
        answers.seek("one", first, to: .ms(500))
        bench.player.replaceCurrentItem(with: second)
        answers.seek("two", second, to: .ms(700))
        bench.player.replaceCurrentItem(with: nil)
        #expect(answers.drain() == ["one true", "A true", "two true", "B true"])
    }

    @Test("Handlers that replace the item and seek the new one cause events that each name their own item")
    func inHandlers() {
        let bench = PlayerTestBench(.silentClip())
        let (first, second) = (bench.makeItem(), bench.makeItem())
        let answers = Answers(bench.player, first, second)
        bench.load(first)
        let player = bench.player
        first.seek(to: .ms(500), toleranceBefore: .zero, toleranceAfter: .zero) { [weak player] _ in
            player?.replaceCurrentItem(with: second)
            answers.seek("two", second, to: .ms(700))
            player?.replaceCurrentItem(with: nil)
        }
        bench.driver.run(seconds: 1)
        #expect(answers.drain() == ["A true", "two false", "B false"])
    }

    @Test("A seek of an item that has just played to its end does not move the next item")
    func notTheNext() {
        let bench = PlayerTestBench(queue: 2)
        let (first, second) = (bench.items[0], bench.items[1])
        let answers = Answers(bench.player, first, second)
        bench.player.play()
        // The clock is at the end, and the engine has not run yet.
        bench.driver.run(atMost: 60) { bench.driver.now >= .ms(2000) }
        #expect(bench.player.currentItem === first)
        answers.seek("late", first, to: .ms(1000))
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentItem === second)
        #expect(second.currentTime() == .ms(1000))
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0...25))
        #expect(answers.drain() == ["late false", "A false"])
    }

    @Test("A seek calls its handler on the callback queue, also if another thread removes the item meanwhile")
    func removedMeanwhile() {
        let bench = PlayerTestBench(.silentClip())
        let (player, item) = (bench.player, bench.makeItem())
        let (count, earlyCount) = (Locked(0), Locked(0))
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            for _ in 0..<2000 {
                guard index == 0 else {
                    player.replaceCurrentItem(with: item)
                    player.replaceCurrentItem(with: nil)
                    continue
                }
                // The callback queue runs when the driver does, which is later.
                let hasReturned = Locked(false)
                player.seek(to: .ms(400), toleranceBefore: .zero, toleranceAfter: .zero) { _ in
                    count.withLock { $0 += 1 }
                    if !hasReturned.withLock({ $0 }) { earlyCount.withLock { $0 += 1 } }
                }
                hasReturned.withLock { $0 = true }
            }
        }
        bench.driver.settle()
        #expect(count.withLock { $0 } == 2000)
        #expect(earlyCount.withLock { $0 } == 0)
    }
}
