import Foundation
import Observation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite("Contract: the media selection as a value")
struct MediaSelectionTests {
    @Test(
        "A selection lists the option of each group and whether it was automatic; an earlier value stays unchanged"
    )
    func snapshot() throws {
        let bench = PlayerTestBench(.clip())
        let item = bench.makeItem()
        #expect(item.currentMediaSelection == PlayerItem(asset: item.asset).currentMediaSelection)
        bench.load(item)
        let audible = try #require(item.asset.mediaSelectionGroup(for: .audible))
        let visual = try #require(item.asset.mediaSelectionGroup(for: .visual))
        let first = item.currentMediaSelection
        #expect(first.selectedMediaOption(in: audible)?.track.id == ScriptedMedia.audioTrack)
        #expect(first.mediaSelectionCriteriaCanBeAppliedAutomatically(in: audible))
        item.select(nil, in: audible)
        let second = item.currentMediaSelection
        #expect(second != first)
        #expect(second.selectedMediaOption(in: audible) == nil)
        #expect(!second.mediaSelectionCriteriaCanBeAppliedAutomatically(in: audible))
        #expect(second.selectedMediaOption(in: visual) == first.selectedMediaOption(in: visual))
        #expect(first.selectedMediaOption(in: audible) != nil)
        item.selectMediaOptionAutomatically(in: audible)
        #expect(item.currentMediaSelection == first)
    }

    @Test(
        "Observation tracking reports a selection at once, and key-value observers when the played track changes"
    )
    func watched() throws {
        let bench = PlayerTestBench(.clip())
        let item = bench.load()
        let audible = try #require(item.asset.mediaSelectionGroup(for: .audible))
        let reported = Locked([Bool]())
        let token = item.observe(\.currentMediaSelection, options: [.new]) { _, change in
            reported.withLock { $0.append(change.newValue?.selectedMediaOption(in: audible) != nil) }
        }
        let tracked = Locked(0)
        withObservationTracking {
            _ = item.currentMediaSelection
        } onChange: {
            tracked.withLock { $0 += 1 }
        }
        item.select(nil, in: audible)
        #expect(tracked.withLock { $0 } == 1)
        bench.driver.settle()
        #expect(reported.withLock { $0 } == [false])
        item.select(audible.options[0], in: audible)
        bench.driver.settle()
        #expect(reported.withLock { $0 } == [false, true])
        token.invalidate()
    }
}
