import Foundation
import MediaCore
import Playhead
import PlayheadFeed
import PlayheadTesting
import TestSupport
import Testing

/// Random gestures from a seed, applied to a feed with its players and to a naive feed.
///
/// The test is short by default. `PLAYHEAD_FEED_GESTURES=10000 swift test --filter
/// PlayheadFeedTests.FeedSimulationTests` runs that many gestures over a thousand cells, in parts of 500 with a seed
/// each, and prints the seeds. `docs/feeds.md` states how long it takes.
@Suite("Feed: gestures with players, with real clips and with sources that stall, fail and are late")
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
            naive.settings = bench.settings
            naive.cells = bench.cells
            naive.visibleRect = bench.viewport.visible
            check()
        }

        func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
            if !condition { faults.append("step \(step): \(message())") }
        }

        func check() {
            step += 1
            naive.decide(now: bench.driver.now.nanoseconds)
            let plan = bench.feed.plan
            expect(plan.chosen == naive.chosen, "chosen \(plan.chosen), by the rule \(naive.chosen)")
            expect(bench.audible.count <= 1, "heard: \(bench.audible)")
            expect(
                bench.running == plan.playing.sorted(),
                "running \(bench.running), planned \(plan.playing)"
            )
            expect(bench.running.allSatisfy { !naive.paused.contains($0) }, "a user's pause was undone")
            expect(bench.feed.playerCount <= 3, "\(bench.feed.playerCount) players")
            expect(bench.foreignFrames == 0, "a frame of another clip")
            expect(Set(bench.heldAssets).isSubset(of: naive.listed), "outlives its cell: \(bench.heldAssets)")
            expect(bench.openDevices.count <= 3, "\(bench.openDevices.count) audio devices")
        }

        func pass(_ seconds: Double) {
            bench.driver.run(seconds: seconds)
            check()
        }

        func scroll(to target: Double) {
            y = max(0, min(Double(bench.ids.count) * bench.height - 400, target))
            if y != bench.viewport.bounds.minY { naive.lastMoved = bench.driver.now.nanoseconds }
            bench.drag(to: y)
            naive.visibleRect = bench.viewport.visible
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

    /// The number of gestures of the long form, or nil for the short one.
    private static let whole = ProcessInfo.processInfo.environment["PLAYHEAD_FEED_GESTURES"].flatMap {
        Int($0)
    }
    /// The number of gestures with one feed, so that a failing seed can be repeated quickly.
    private static let part = 500
    private static func seeds(_ few: Int) -> [UInt64] {
        let count = whole.map { ($0 + part - 1) / part } ?? few
        return Array((1...max(1, count)).map(UInt64.init).samples)
    }
    private var cellCount: Int { Self.whole == nil ? 60 : 1000 }

    private func walk(_ bench: FeedBench, seed: UInt64, gestures: Int) {
        let walk = Walk(bench, seed: seed)
        let count = Self.whole == nil ? gestures : Self.part
        for _ in 0..<count where walk.faults.isEmpty { walk.gesture() }
        #expect(walk.faults == [], "seed \(seed)")
        if Self.whole != nil { print("seed \(seed): \(count) gestures, \(walk.faults.count) faults") }
    }

    @Test("Real clips are played under many identities", .enabled(if: Fixture.areThere), arguments: seeds(4))
    func realClips(seed: UInt64) {
        walk(FeedBench(realClips: cellCount), seed: seed, gestures: 60)
    }

    private static let faults: @Sendable (Int) -> [ScriptedMedia.Fault] = { id in
        switch id % 7 {
        case 1: [.openFails(.notFound)]
        case 2: [.stall(atPacket: 6, until: Double(id))]
        case 3: [.stall(atPacket: 0, until: Double(id) / 4)]
        case 4: [.lost(fromPacket: 9)]
        case 5: [.throttled(speed: 0.7)]
        default: []
        }
    }

    @Test("Sources stall, fail and are late", arguments: seeds(8))
    func badSources(seed: UInt64) {
        let bench = FeedBench(scripts: cellCount, faults: Self.faults, isLocal: seed % 2 == 0)
        walk(bench, seed: seed, gestures: 80)
    }

    @Test("3. Two clips are never heard, measured by the output samples", arguments: seeds(4))
    func samples(seed: UInt64) {
        var settings = FeedSettings()
        if seed % 2 == 0 { settings.rule = .all(atLeast: 0, upTo: 1) }
        let bench = FeedBench(
            scripts: cellCount,
            settings: settings,
            faults: Self.faults,
            isLocal: seed % 4 < 2,
            hasAudio: true
        )
        walk(bench, seed: seed, gestures: 40)
        let heard = bench.devices.flatMap(FeedBench.audibleSpans).reduce(0) {
            $0 + $1.upperBound - $1.lowerBound
        }
        #expect(heard > 1_000_000_000, "seed \(seed)")
        #expect(bench.overlap == 0, "seed \(seed)")
    }
}
