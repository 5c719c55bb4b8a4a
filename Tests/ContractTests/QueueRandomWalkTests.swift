import MediaCore
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: queues that are changed in handlers")
struct QueueRandomWalkTests {
    private final class Walk: Sendable {
        private struct State {
            var random: SplitMix64
            var log: [String] = []
            var looper: PlayerLooper?
            var answers = 3000
        }
        private let player: QueuePlayer
        private let items: [PlayerItem]
        private let state: Locked<State>
        var log: [String] { state.withLock { $0.log } }

        init(_ player: QueuePlayer, _ items: [PlayerItem], seed: UInt64) {
            self.player = player
            self.items = items
            state = Locked(State(random: SplitMix64(seed)))
        }

        func draw(_ count: Int) -> Int { state.withLock { Int($0.random.next() % UInt64(count)) } }
        private func note(_ line: String) { state.withLock { $0.log.append(line) } }

        /// Performs an action, which also happens inside handlers.
        func act(_ caller: String) {
            let item = items[draw(items.count)]
            let kind = draw(14)
            note("\(caller) \(kind)")
            switch kind {
            case 0: player.insert(item, after: nil)
            case 1: player.insert(item, after: player.currentItem)
            case 2: player.remove(item)
            case 3: player.advanceToNextItem()
            case 4: player.replaceCurrentItem(with: item)
            case 5, 6: player.play()
            case 7: player.seek(to: .ms(Int64(draw(2100))), toleranceBefore: .zero, toleranceAfter: .zero)
            case 8: item.seek(to: .ms(Int64(draw(2100))))
            case 9:
                guard let track = (player.currentItem ?? item).tracks.randomElement(draw) else { return }
                track.isEnabled.toggle()
            case 10:
                if state.withLock({ $0.looper }) == nil {
                    let looper = PlayerLooper(player: player, templateItem: item)
                    state.withLock { $0.looper = looper }
                } else {
                    endLooping(releases: draw(2) == 0)
                }
            case 11: player.currentItem?.step(byCount: 1)
            case 12: player.replaceCurrentItem(with: nil)
            default: player.pause()
            }
        }

        func endLooping(releases: Bool) {
            let looper = state.withLock { state in
                defer { state.looper = nil }
                return state.looper
            }
            if !releases { looper?.disableLooping() }
        }

        func callBack() {
            guard
                state.withLock({
                    $0.answers -= 1
                    return $0.answers > 0
                }), draw(6) == 0
            else { return }
            act("handler")
        }
    }

    @Test(
        "A queue player plays normally after any sequence of actions",
        arguments: (0..<12 as Range<UInt64>).samples
    )
    func walks(seed: UInt64) {
        let bench = PlayerTestBench(queue: 3, seed: seed, settlesByItself: seed % 2 == 1)
        let player = bench.player
        let walk = Walk(player, bench.items, seed: seed)
        let token = player.onEvent { [weak walk] _ in walk?.callBack() }
        for _ in 0..<20 {
            walk.act("test")
            if walk.draw(3) == 0 { bench.driver.run(seconds: Double(walk.draw(900)) / 1000) }
        }
        token.invalidate()
        walk.endLooping(releases: false)
        bench.driver.settle()
        player.removeAllItems()
        player.pause()
        player.actionAtItemEnd = .advance
        for item in bench.items {
            for track in item.tracks { track.isEnabled = true }
            item.seek(to: .zero)
            player.insert(item, after: nil)
        }
        bench.driver.run(seconds: 1)
        #expect(player.items().count == 3)
        _ = bench.takeLines()
        let (shown, heard) = (bench.videoSink.numbers.count, bench.audioSink.samples.count)
        player.play()
        bench.driver.run(seconds: 20)
        let numbers = (0..<3).flatMap { _ in 0..<50 }
        #expect(Array(bench.videoSink.numbers[shown...]) == Array(numbers[1...]), "\(walk.log)")
        let samples = (0..<3).flatMap { _ in (0..<96_000).map { Int16(truncatingIfNeeded: $0) } }
        #expect(Array(bench.audioSink.samples[heard...]) == samples, "\(walk.log)")
        #expect(bench.takeLines(of: "end").count == 3, "\(walk.log)")
        #expect(player.items().isEmpty, "\(walk.log)")
        for item in bench.items {
            #expect(item.tracks.allSatisfy { $0.isEnabled }, "\(walk.log)")
            #expect(item.currentTime() == .zero, "\(walk.log)")
        }
    }
}

extension Array {
    fileprivate func randomElement(_ draw: (Int) -> Int) -> Element? { isEmpty ? nil : self[draw(count)] }
}
