import Playhead
import PlayheadTesting
import Testing

/// Every way of leaving an item cancels what was started for it at once, whatever stage it is in.
@Suite("Every way of leaving an item cancels its work")
struct ItemCancellationTests {
    enum WayOut: CaseIterable {
        case replace, takeOff, remove, advance, otherPlayer
    }

    @Test("Leaving after any number of steps cancels the work", arguments: WayOut.allCases)
    func anyStage(wayOut: WayOut) {
        for steps in 0..<60 {
            let bench = PlayerTestBench(queue: 1, seed: UInt64(steps))
            let (driver, player, first) = (bench.driver, bench.player, bench.items[0])
            var configuration = player.configuration
            configuration.audio = .sink(CapturingAudioSink())
            let other = Player(configuration: configuration)
            if wayOut == .advance { player.insert(bench.makeItem(), after: nil) }
            player.play()
            for _ in 0..<steps { driver.step() }
            switch wayOut {
            case .replace: player.replaceCurrentItem(with: bench.makeItem())
            case .takeOff: player.replaceCurrentItem(with: nil)
            case .remove: player.remove(first)
            case .advance: player.advanceToNextItem()
            case .otherPlayer: other.replaceCurrentItem(with: first)
            }
            driver.settle()
            let open = bench.backend.opened.count - bench.backend.counts.cancelled
            let held = player.items().count + (other.currentItem == nil ? 0 : 1)
            #expect(open <= held, "\(wayOut) after \(steps) steps")
            player.removeAllItems()
            other.replaceCurrentItem(with: nil)
            driver.settle()
            #expect(bench.backend.counts.cancelled == bench.backend.opened.count)
        }
    }
}
