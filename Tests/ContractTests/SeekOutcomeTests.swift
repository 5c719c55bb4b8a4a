import Playhead
import PlayheadTesting
import Testing

/// A seek is pending, and its item goes: its handler and its event say so once, and name the right item.
@Suite("Contract: seeks whose item goes")
struct SeekOutcomeTests {
    /// What handlers and events say, as "name false" and "A false", with items by their letters.
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

        func take() -> [String] {
            state.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    enum Stage: CaseIterable, Sendable {
        /// Just asked; while it waits for data; while another one waits behind it; before the item is open.
        case asked, hanging, twice, opening
    }

    /// A player whose item A has pending seeks: their names.
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

    /// Data from 1 s on never comes, so that a seek there does not end.
    private static let hanging = ScriptedMedia.silentClip(
        (26..<50).map { .hang(atPacket: $0) } + [.hang(atPacket: 25)]
    )
    private static let neverOpens = ScriptedMedia.silentClip([.hang(atPacket: 0)])

    enum WayOut: CaseIterable, Sendable {
        case replaced, takenOff, moved
    }

    @Test("Replaced, taken off, given to another player", arguments: Stage.allCases, WayOut.allCases)
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
        case .takenOff: bench.player.replaceCurrentItem(with: nil)
        case .moved: other.replaceCurrentItem(with: first)
        }
        bench.driver.run(seconds: 1)
        #expect(answers.take() == names.flatMap { ["\($0) false", "A false"] })
        #expect(elsewhere.take() == [])
    }

    @Test("Removed from a queue, advanced, skipped, all removed", arguments: Stage.allCases, 0..<4)
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
        #expect(answers.take() == names.flatMap { ["\($0) false", "A false"] })
    }

    @Test("The item fails: false, once, with the item that failed")
    func fails() {
        let bench = PlayerTestBench(queue: 0)
        let (first, second) = (bench.makeItem(.silentClip([.openFails(.notFound)])), bench.makeItem())
        let answers = Answers(bench.player, first, second)
        bench.player.insert(first, after: nil)
        bench.player.insert(second, after: nil)
        answers.seek("one", first, to: .ms(500))
        bench.driver.run(seconds: 1)
        #expect(answers.take() == ["one false", "A false"])
        #expect(bench.player.currentItem === second)
    }

    @Test(
        "The player is released, or shut down: the handlers are answered false, once",
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
        let told = answers.take().filter { !$0.hasPrefix("A") }
        if isShutDown { player?.shutdown {} } else { player = nil }
        equipment.driver.run(seconds: 1)
        player = nil
        equipment.driver.run(seconds: 1)
        let rest = names.map { "\($0) false" }.filter { !told.contains($0) }
        // Of what was overtaken before a shutdown the event is told, too.
        #expect(answers.take().filter { !isShutDown || !$0.hasPrefix("A") } == rest)
    }

    @Test("Landed before the item goes: true, with the item, told once")
    func landed() {
        let bench = PlayerTestBench(.silentClip(), settlesByItself: true)
        let (first, second) = (bench.makeItem(), bench.makeItem())
        let answers = Answers(bench.player, first, second)
        bench.load(first)
        answers.seek("one", first, to: .ms(500))
        bench.player.replaceCurrentItem(with: second)
        answers.seek("two", second, to: .ms(700))
        bench.player.replaceCurrentItem(with: nil)
        #expect(answers.take() == ["one true", "A true", "two true", "B true"])
    }

    @Test("A handler that replaces the item, seeks the new one, and so on: each names its own")
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
        #expect(answers.take() == ["A true", "two false", "B false"])
    }

    @Test("A seek of an item that has just been played to its end does not move the one that follows")
    func notTheNext() {
        let bench = PlayerTestBench(queue: 2)
        let (first, second) = (bench.items[0], bench.items[1])
        let answers = Answers(bench.player, first, second)
        bench.player.play()
        // The clock is at the end, and the engine has not had its turn.
        bench.driver.run(atMost: 60) { bench.driver.now >= .ms(2000) }
        #expect(bench.player.currentItem === first)
        answers.seek("late", first, to: .ms(1000))
        bench.driver.run(seconds: 1)
        #expect(bench.player.currentItem === second)
        #expect(second.currentTime() == .ms(1000))
        #expect(bench.videoSink.numbers == Array(0..<50) + Array(0...25))
        #expect(answers.take() == ["late false", "A false"])
    }
}
