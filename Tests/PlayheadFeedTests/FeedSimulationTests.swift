import Foundation
import MediaCore
import Playhead
import PlayheadFeed
import PlayheadTesting
import TestSupport
import Testing

/// Random gestures from a seed, applied to a feed with its players and to a naive feed.
///
/// The test is short by default. `PLAYHEAD_FEED_GESTURES=5000 swift test --filter
/// PlayheadFeedTests.FeedSimulationTests` runs that many gestures over a thousand cells, in parts of 500 with a seed
/// each, and prints the seeds. `docs/feeds.md` states how long it takes.
///
/// Among the gestures are insertions above the view and rotations in one step, removals, and clips that are tried again or
/// reloaded. Some clips fail when they are opened, others in the middle.
@Suite("Feed: gestures with players, with real clips and with sources that stall, fail and are late")
struct FeedSimulationTests {
    private final class Walk {
        let bench: FeedBench
        var naive = NaiveFeed()
        var random: SplitMix64
        var faults: [String] = []
        var y = 0.0
        private var step = 0
        /// The clips whose last failure was reported, and that have neither played nor been tried again since.
        private let failed = Locked<Set<Int>>([])
        let failureCount = Locked(0)
        private var nextID: Int

        init(_ bench: FeedBench, seed: UInt64) {
            self.bench = bench
            random = SplitMix64(seed)
            nextID = (bench.ids.max() ?? 0) + 1
            bench.feed.setFailureHandler { [failed, failureCount, weak feed = bench.feed] id, error in
                // The error can be read when it is reported.
                if feed?.error(of: id)?.code == error.code { failed.withLock { _ = $0.insert(id) } }
                failureCount.withLock { $0 += 1 }
            }
            // Clips may have failed before the handler was set.
            let early = bench.ids.filter { bench.feed.error(of: $0) != nil }
            failed.withLock { $0.formUnion(early) }
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
            // 64 assets are kept for clips that are neither visible nor planned.
            expect(Set(bench.heldAssets).count <= 64 + 8, "\(bench.heldAssets.count) assets")
            expect(bench.posters.count <= 20, "\(bench.posters.count) posters")
            checkErrors(plan)
        }

        /// Checks that a clip has an error from its failure until it plays or is tried again, and only then.
        private func checkErrors(_ plan: FeedPlan<Int>) {
            for id in plan.chosen where plan.entry(of: id) == nil {
                expect(bench.feed.error(of: id) != nil, "\(id) has failed without an error")
            }
            let withError = Set(bench.ids.filter { bench.feed.error(of: $0) != nil })
            for id in bench.running where bench.feed.player(for: id)?.timeControlStatus == .playing {
                expect(!withError.contains(id), "\(id) plays and has an error")
            }
            // A clip that runs and has no error has played.
            let failed = failed.withLock { failed in
                failed.subtract(bench.running.filter { !withError.contains($0) })
                return failed
            }
            expect(withError == failed, "errors of \(withError), failures of \(failed)")
        }

        func pass(_ seconds: Double) {
            bench.driver.run(seconds: seconds)
            check()
        }

        private func clamped(_ y: Double) -> Double {
            max(0, min(Double(bench.ids.count) * bench.height - bench.viewport.bounds.height, y))
        }

        /// Changes the layout in one step. A clip that plays before and after is not interrupted, keeps its player and
        /// shows no frame twice.
        private func setLayout(_ ids: [Int], width: Double, height: Double, _ bounds: CGRect) {
            let before = bench.running.map { ($0, bench.feed.player(for: $0), bench.frames(of: $0).count) }
            let changeCount = bench.changes.withLock { $0.count }
            bench.setLayout(ids, width: width, height: height, viewport: FeedViewport(bounds))
            y = bounds.minY
            naive.cells = bench.cells
            naive.visibleRect = bounds
            naive.lastMoved = nil
            check()
            let kept = before.filter { bench.running.contains($0.0) }
            let changes = bench.changes.withLock { $0.dropFirst(changeCount) }
            for (id, player, _) in kept {
                expect(bench.feed.player(for: id) === player, "\(id) has another player")
                let isInterrupted = changes.contains { change in
                    switch change {
                    case .pause(id, _), .play(id), .release(id, _): true
                    default: false
                    }
                }
                expect(!isInterrupted, "\(id) was interrupted")
            }
            pass(0.3)
            for (id, _, count) in kept where bench.running.contains(id) {
                let frames = bench.frames(of: id).dropFirst(max(0, count - 1))
                let isRepeated = zip(frames, frames.dropFirst()).contains { $0 == $1 }
                expect(!isRepeated, "\(id) shows a frame twice: \(frames)")
            }
        }

        private func insertAbove() {
            var ids = bench.ids
            ids.insert(nextID, at: Int.random(in: 0...Int(y / bench.height), using: &random))
            nextID += 1
            let bounds = bench.viewport.bounds.offsetBy(dx: 0, dy: bench.height)
            setLayout(ids, width: bench.width, height: bench.height, bounds)
        }

        /// The cell at the top of the view, or the one that plays, keeps its position in the view as far as possible.
        private func rotate() {
            let old = bench.viewport.bounds
            let height = old.width < old.height ? 240.0 : 300
            let anchor = bench.running.first.flatMap { bench.ids.firstIndex(of: $0) } ?? Int(y / bench.height)
            let distance = (Double(anchor) * bench.height - y) * height / bench.height
            let top = Double(bench.ids.count) * height - old.width
            let bounds = CGRect(
                x: 0,
                y: max(0, min(top, Double(anchor) * height - distance)),
                width: old.height,
                height: old.width
            )
            setLayout(bench.ids, width: old.height, height: height, bounds)
        }

        private func remove() {
            var ids = bench.ids
            ids.remove(at: Int.random(in: 0..<ids.count, using: &random))
            if Bool.random(using: &random) {
                ids.append(nextID)
                nextID += 1
            }
            failed.withLock { $0.formIntersection(ids) }
            bench.reload(ids)
            naive.cells = bench.cells
            naive.paused.formIntersection(ids)
        }

        /// Tries a clip again, with or without its faults.
        private func retry() {
            guard let id = failed.withLock({ $0 }).sorted().first ?? bench.feed.plan.chosen.first else {
                return
            }
            if Bool.random(using: &random) { bench.repair(id) }
            failed.withLock { _ = $0.remove(id) }
            bench.feed.retry(id)
        }

        private func reload() {
            let visible = naive.inView.map { naive.cells[$0].id }
            guard let id = visible.randomElement(using: &random) else { return }
            failed.withLock { _ = $0.remove(id) }
            bench.feed.reload(id)
        }

        func scroll(to target: Double) {
            y = clamped(target)
            if y != bench.viewport.bounds.minY { naive.lastMoved = bench.driver.now.nanoseconds }
            bench.drag(to: y)
            naive.visibleRect = bench.viewport.visible
            check()
        }

        func gesture() {
            switch Int.random(in: 0..<18, using: &random) {
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
            case 2: remove()
            case 3: insertAbove()
            case 4: rotate()
            case 5: retry()
            case 6: reload()
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

    private func walk(_ bench: FeedBench, seed: UInt64, gestures: Int, hasFailures: Bool = true) {
        let walk = Walk(bench, seed: seed)
        let count = Self.whole == nil ? gestures : Self.part
        for _ in 0..<count where walk.faults.isEmpty { walk.gesture() }
        #expect(walk.faults == [], "seed \(seed)")
        let failures = walk.failureCount.withLock { $0 }
        #expect((failures > 0) == hasFailures, "seed \(seed)")
        if Self.whole != nil {
            print("seed \(seed): \(count) gestures, \(failures) failed clips, \(walk.faults.count) faults")
        }
    }

    @Test("Real clips are played under many identities", .enabled(if: Fixture.areThere), arguments: seeds(4))
    func realClips(seed: UInt64) {
        walk(FeedBench(realClips: cellCount), seed: seed, gestures: 60, hasFailures: false)
    }

    private static let faults: @Sendable (Int) -> [ScriptedMedia.Fault] = { id in
        switch id % 7 {
        case 1: [.openFails(.notFound)]
        case 2: [.stall(atPacket: 6, until: Double(id))]
        case 3: [.stall(atPacket: 0, until: Double(id) / 4)]
        case 4: [.lost(fromPacket: 9 + id % 11)]
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
