import Foundation
import MediaCore
import Playhead
import PlayheadFeed
import PlayheadTesting
import TestSupport
import Testing

/// Gestures drawn from a seed for a feed with its players, a naive feed beside it.
@Suite("Feed: gestures with players, over real clips and over sources that stall, fail and come late")
struct FeedSimulationTests {
    private final class Walk {
        let bench: FeedBench
        var naive = NaiveFeed()
        var random: SplitMix64
        var faults: [String] = []
        var y = 0.0
        private var step = 0

        init(_ bench: FeedBench, seed: UInt64) {
            self.bench = bench
            random = SplitMix64(seed)
            bench.feed.setMuted(false)
            naive.cells = bench.cells
            naive.seen = bench.viewport.visible
            check()
        }

        func expect(_ condition: Bool, _ words: @autoclosure () -> String) {
            if !condition { faults.append("step \(step): \(words())") }
        }

        func check() {
            step += 1
            naive.decide(now: bench.driver.now.nanoseconds)
            let plan = bench.feed.plan
            expect(plan.chosen == naive.chosen, "chosen \(plan.chosen), by the rule \(naive.chosen)")
            expect(bench.sounding.count <= 1, "heard: \(bench.sounding)")
            expect(
                bench.running == plan.playing.sorted(),
                "running \(bench.running), planned \(plan.playing)"
            )
            expect(bench.running.allSatisfy { !naive.paused.contains($0) }, "undid a pause of the user's")
            expect(bench.feed.playerCount <= 3, "\(bench.feed.playerCount) players")
            expect(bench.strangers == 0, "another clip's picture")
            expect(Set(bench.heldAssets).isSubset(of: naive.listed), "outlives its cell: \(bench.heldAssets)")
        }

        func pass(_ seconds: Double) {
            bench.driver.run(seconds: seconds)
            check()
        }

        func scroll(to target: Double) {
            y = max(0, min(Double(bench.ids.count) * bench.height - 400, target))
            if y != bench.viewport.bounds.minY { naive.movedAt = bench.driver.now.nanoseconds }
            bench.drag(to: y)
            naive.seen = bench.viewport.visible
            check()
        }

        func gesture() {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                guard let id = bench.feed.plan.chosen.first else { return }
                if naive.paused.remove(id) != nil {
                    bench.feed.play(id)
                } else {
                    naive.paused.insert(id)
                    bench.feed.pause(id)
                }
            case 1:
                bench.feed.setOnScreen(false)
                pass(0.2)
                bench.feed.setOnScreen(true)
            case 2:
                var ids = bench.ids
                ids.remove(at: Int.random(in: 0..<ids.count, using: &random))
                ids.append((ids.max() ?? 0) + 1)
                bench.reload(ids)
                naive.cells = bench.cells
                naive.paused.formIntersection(ids)
            default:
                let speed = Double.random(in: -250...500, using: &random)
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    scroll(to: y + speed)
                    pass(0.05)
                }
            }
            check()
            pass([0.1, 0.31, 0.6].randomElement(using: &random)!)
        }
    }

    private func walk(_ bench: FeedBench, seed: UInt64, gestures: Int) {
        let walk = Walk(bench, seed: seed)
        for _ in 0..<gestures where walk.faults.isEmpty { walk.gesture() }
        #expect(walk.faults == [], "seed \(seed)")
    }

    @Test(
        "Real clips, under many identities",
        .enabled(if: Fixture.areThere),
        arguments: [1, 2, 3, 4].samples
    )
    func realClips(seed: UInt64) { walk(FeedBench(realClips: 60), seed: seed, gestures: 60) }

    @Test("Sources that stall, fail and come late", arguments: [1, 2, 3, 4, 5, 6, 7, 8].samples)
    func badSources(seed: UInt64) {
        let faults: @Sendable (Int) -> [ScriptedMedia.Fault] = { id in
            switch id % 7 {
            case 1: [.openFails(.notFound)]
            case 2: [.stall(atPacket: 6, until: Double(id))]
            case 3: [.stall(atPacket: 0, until: Double(id) / 4)]
            case 4: [.lost(fromPacket: 9)]
            case 5: [.trickles(speed: 0.7)]
            default: []
            }
        }
        let bench = FeedBench(scripts: 60, faults: faults, isLocal: seed % 2 == 0)
        walk(bench, seed: seed, gestures: 80)
    }
}
