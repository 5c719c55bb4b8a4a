import Foundation
import MediaCore
import Playhead
import PlayheadFeed
import TestSupport
import Testing

/// What was not as it should be.
private final class Faults {
    var list: [String] = []
}

/// Gestures drawn from a seed, and a core beside a naive feed that are told the same.
private struct Simulation {
    var core: FeedCore<Int>
    var naive = NaiveFeed()
    var now: Int64 = 0
    var viewport = FeedViewport(CGRect(x: 0, y: 0, width: 320, height: 640), insets: FeedInsets(top: 64))
    var random: SplitMix64
    var nextID: Int
    var length = 0.0
    private let faulty = Faults()
    var faults: [String] { faulty.list }
    var steps = 0

    init(seed: UInt64, rule: FeedRule, slowSpeed: Double?) {
        random = SplitMix64(seed)
        naive.settings.rule = rule
        naive.settings.slowSpeed = slowSpeed
        core = FeedCore(naive.settings)
        nextID = 1000
        move(to: 0, velocity: nil, nil)
        layOut((0..<1000).map { ($0, Int.random(in: 0..<10, using: &random) == 0 ? .other : .clip) })
    }

    mutating func layOut(_ list: [(id: Int, kind: FeedKind)]) {
        var y = 0.0
        naive.cells = list.map { id, kind in
            let height = [40.0, 180, 320, 576, 900][Int.random(in: 0..<5, using: &random)]
            defer { y += height + 8 }
            return FeedCell(id, frame: CGRect(x: 0, y: y, width: 320, height: height), kind: kind)
        }
        length = y
        naive.paused.formIntersection(list.map(\.id))
        tell(.cells(naive.cells))
    }

    mutating func move(to y: Double, velocity: Double?, _ phase: ScrollPhase?) {
        let before = viewport
        viewport.bounds.origin.y = y
        if viewport != before { naive.goesBack = viewport.bounds.minY < before.bounds.minY }
        naive.seen = viewport.visible
        guard let phase else {
            naive.movedAt = nil
            return tell(.viewport(viewport))
        }
        if let velocity, velocity != 0 { naive.goesBack = velocity < 0 }
        if viewport != before { naive.movedAt = now }
        let speed = phase == .settled ? 0 : velocity.map(abs) ?? .infinity
        naive.isSlow = naive.settings.slowSpeed.map { speed < $0 } ?? false
        tell(.scroll(viewport, velocity: velocity, phase))
    }

    mutating func tell(_ event: FeedEvent<Int>) {
        let before = core.plan
        core.handle(event, at: HostTime(nanoseconds: now))
        naive.decide(now: now)
        steps += 1
        check(before)
    }

    private func expect(_ condition: Bool, _ words: @autoclosure () -> String) {
        if !condition { faulty.list.append("step \(steps): \(words())") }
    }

    private func check(_ before: FeedPlan<Int>) {
        let plan = core.plan
        expect(plan.chosen == naive.chosen, "chosen \(plan.chosen), by the rule \(naive.chosen)")
        expect(plan.playing == naive.playing, "playing \(plan.playing), should \(naive.playing)")
        expect(plan.playing.allSatisfy { !naive.paused.contains($0) }, "undid a pause of the user's")
        expect(plan.entries.count <= core.settings.poolSize, "\(plan.entries.count) players")
        expect(Set(plan.entries.map(\.id)).count == plan.entries.count, "two players of one clip")
        expect(plan.audible.map { plan.playing.first == $0 } ?? true, "heard, and does not play")
        let isStanding = naive.movedAt == nil || naive.isSlow
        if isStanding, !plan.isPreloadingSuspended {
            expect(plan.ready == naive.upcoming, "ready \(plan.ready), should \(naive.upcoming)")
        }
        let begun = plan.ready.filter { !before.ready.contains($0) }
        expect(begun.isEmpty || isStanding && !plan.isPreloadingSuspended, "began \(begun) at the wrong time")
        expect(plan.entries.allSatisfy { naive.listed.contains($0.id) }, "outlives its cell")
        let seen = Set(naive.inView.map { naive.cells[$0].id })
        for entry in plan.entries where entry.role != .ready {
            expect(seen.contains(entry.id), "\(entry) is not in view")
        }
        for change in core.changes {
            if case .release(let id, _) = change {
                expect(before.entry(of: id) != nil && plan.entry(of: id) == nil, "\(change)")
            }
        }
    }

    mutating func pass(_ seconds: Double) {
        now += Int64(seconds * 1e9)
        tell(.time)
    }

    mutating func gesture() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: move(to: Double.random(in: -100...length, using: &random), velocity: nil, nil)
        case 1: reload()
        case 2:
            naive.isHidden = true
            let isScreen = Bool.random(using: &random)
            tell(isScreen ? .onScreen(false) : .background(true))
            pass(0.1)
            swipe()
            naive.isHidden = false
            tell(isScreen ? .onScreen(true) : .background(false))
        case 3: userPause()
        default: swipe()
        }
        // What plays begins, runs out, comes back, ends or fails.
        for id in core.plan.chosen {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: tell(.waiting(id, true))
            case 1:
                naive.ended.insert(id)
                tell(.ended(id))
            case 2:
                naive.failed.insert(id)
                tell(.failed(id))
            default:
                tell(.started(id))
                tell(.waiting(id, false))
                tell(.buffered(id, seconds: .random(in: 0...6, using: &random), isFull: false))
            }
        }
        if Int.random(in: 0..<10, using: &random) == 0 { tell(.mute(Bool.random(using: &random))) }
    }

    private mutating func swipe() {
        let sign = Int.random(in: 0..<4, using: &random) == 0 ? -1.0 : 1.0
        var y = viewport.bounds.minY
        var speed = sign * Double.random(in: 50...4000, using: &random)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            y = max(-80, min(length - 500, y + speed * 0.05))
            now += 50_000_000
            let velocity = Bool.random(using: &random) ? speed : nil
            move(to: y, velocity: velocity, .dragging)
        }
        while abs(speed) > 30 {
            speed *= 0.4
            y = max(-80, min(length - 500, y + speed * 0.1))
            now += 100_000_000
            move(to: y, velocity: speed, .decelerating)
        }
        move(to: y, velocity: 0, .settled)
        // The next finger may come before it counts.
        pass(Double.random(in: 0...0.6, using: &random))
    }

    private mutating func userPause() {
        guard let id = core.plan.chosen.randomElement(using: &random) else { return }
        let flag = !naive.paused.contains(id)
        if flag { naive.paused.insert(id) } else { naive.paused.remove(id) }
        if !flag { naive.ended.remove(id) }
        tell(.userPause(id, flag))
    }

    private mutating func reload() {
        var list = naive.cells.map { ($0.id, $0.kind) }
        let place = Int.random(in: 0..<list.count, using: &random)
        if Bool.random(using: &random), list.count < 1100 {
            list.insert((nextID, .clip), at: place)
            nextID += 1
        } else {
            list.remove(at: place)
        }
        layOut(list)
    }
}

@Suite("Feed: 10,000 gestures over 1,000 cells beside a naive feed")
struct CoreSimulationTests {
    private static let rules: [FeedRule] = [
        .mostVisible(atLeast: 0.5), .firstWhollyVisible, .first(atLeast: 0.85), .all(atLeast: 0, upTo: 4),
        .atPoint(x: 0.5, y: 0.5),
    ]

    /// Each seed is 500 gestures; every rule comes four times, with a speed below which it decides at once and without.
    @Test("The core decides as the rule has it, at every step", arguments: (1...20).map(UInt64.init).samples)
    func gestures(seed: UInt64) {
        let rule = Self.rules[Int(seed) % Self.rules.count]
        var simulation = Simulation(seed: seed, rule: rule, slowSpeed: seed % 2 == 0 ? 60 : nil)
        for _ in 0..<500 where simulation.faults.isEmpty { simulation.gesture() }
        #expect(simulation.faults == [], "seed \(seed), \(rule)")
        #expect(simulation.steps > 2000)
    }
}
