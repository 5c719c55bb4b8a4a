import Foundation
import MediaCore
import Playhead
import PlayheadFeed
import TestSupport
import Testing

/// The failures of a simulation.
private final class FaultRecorder {
    var list: [String] = []
}

/// Random gestures from a seed, applied to a core and to a naive feed.
private struct Simulation {
    var core: FeedCore<Int>
    var naive = NaiveFeed()
    var now: Int64 = 0
    var viewport = FeedViewport(CGRect(x: 0, y: 0, width: 320, height: 640), insets: FeedInsets(top: 64))
    var random: SplitMix64
    var nextID: Int
    var length = 0.0
    private let recorder = FaultRecorder()
    var faults: [String] { recorder.list }
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
        place(list)
        send(.cells(naive.cells))
    }

    private mutating func place(_ list: [(id: Int, kind: FeedKind)]) {
        var y = 0.0
        naive.cells = list.map { id, kind in
            let height = [40.0, 180, 320, 576, 900][Int.random(in: 0..<5, using: &random)]
            defer { y += height + 8 }
            return FeedCell(
                id,
                frame: CGRect(x: 0, y: y, width: viewport.bounds.width, height: height),
                kind: kind
            )
        }
        length = y
        naive.paused.formIntersection(list.map(\.id))
    }

    /// Rotates the device or inserts a cell above the view. The cell that was at the top of the view stays there, and the
    /// clip that plays continues if the rule still allows it.
    private mutating func relayOut() {
        guard let top = naive.inView.first.map({ naive.cells[$0] }) else { return }
        let playing = core.plan.playing
        if Bool.random(using: &random) {
            viewport.bounds.size = CGSize(width: viewport.bounds.height, height: viewport.bounds.width)
            place(naive.cells.map { ($0.id, $0.kind) })
        } else {
            var frames = naive.cells
            frames.insert(FeedCell(nextID, frame: CGRect(x: 0, y: -100, width: 320, height: 100)), at: 0)
            nextID += 1
            for index in frames.indices { frames[index].frame.origin.y += 100 }
            naive.cells = frames
            length += 100
        }
        let frame = naive.cells.first { $0.id == top.id }?.frame ?? top.frame
        let y = frame.minY + viewport.bounds.minY - top.frame.minY
        viewport.bounds.origin.y = y
        naive.travel(to: y, velocity: nil, isScroll: false)
        naive.visibleRect = viewport.visible
        naive.lastMoved = nil
        send(.layout(naive.cells, viewport, nil))
        for id in playing where core.plan.playing.contains(id) {
            expect(
                !core.changes.contains { $0 == .pause(id, []) || $0 == .play(id) },
                "\(id) was interrupted"
            )
        }
    }

    mutating func move(to y: Double, velocity: Double?, _ phase: ScrollPhase?) {
        let before = viewport
        viewport.bounds.origin.y = y
        naive.travel(to: y, velocity: velocity, isScroll: phase != nil)
        naive.visibleRect = viewport.visible
        guard let phase else {
            naive.lastMoved = nil
            return send(.viewport(viewport))
        }
        if viewport != before { naive.lastMoved = now }
        let speed = phase == .settled ? 0 : velocity.map(abs) ?? .infinity
        naive.isSlow = naive.settings.slowSpeed.map { speed < $0 } ?? false
        send(.scroll(viewport, velocity: velocity, phase))
    }

    mutating func send(_ event: FeedEvent<Int>) {
        let before = core.plan
        core.handle(event, at: HostTime(nanoseconds: now))
        naive.decide(now: now)
        steps += 1
        check(before)
    }

    private func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { recorder.list.append("step \(steps): \(message())") }
    }

    private func check(_ before: FeedPlan<Int>) {
        let plan = core.plan
        expect(plan.chosen == naive.chosen, "chosen \(plan.chosen), by the rule \(naive.chosen)")
        expect(plan.playing == naive.playing, "playing \(plan.playing), should \(naive.playing)")
        expect(plan.playing.allSatisfy { !naive.paused.contains($0) }, "a user's pause was undone")
        expect(plan.entries.count <= core.settings.poolSize, "\(plan.entries.count) players")
        expect(Set(plan.entries.map(\.id)).count == plan.entries.count, "two players of one clip")
        expect(plan.audible.map { plan.playing.first == $0 } ?? true, "audible but not playing")
        let isStanding = naive.lastMoved == nil || naive.isSlow
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
        send(.time)
    }

    mutating func gesture() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: move(to: Double.random(in: -100...length, using: &random), velocity: nil, nil)
        case 1: reload()
        case 2:
            naive.isHidden = true
            let isScreen = Bool.random(using: &random)
            send(isScreen ? .onScreen(false) : .background(true))
            pass(0.1)
            swipe()
            naive.isHidden = false
            send(isScreen ? .onScreen(true) : .background(false))
        case 3: userPause()
        case 4: relayOut()
        default: swipe()
        }
        // The chosen clips start, run out of data, resume, end or fail.
        for id in core.plan.chosen {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: send(.waiting(id, true))
            case 1:
                naive.ended.insert(id)
                send(.ended(id))
            case 2:
                naive.failed.insert(id)
                send(.failed(id))
            default:
                send(.started(id))
                send(.waiting(id, false))
                send(.buffered(id, seconds: .random(in: 0...6, using: &random), isFull: false))
            }
        }
        if Int.random(in: 0..<10, using: &random) == 0 { send(.mute(Bool.random(using: &random))) }
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
        // The next gesture may begin before the list has settled.
        pass(Double.random(in: 0...0.6, using: &random))
    }

    private mutating func userPause() {
        guard let id = core.plan.chosen.randomElement(using: &random) else { return }
        let flag = !naive.paused.contains(id)
        if flag { naive.paused.insert(id) } else { naive.paused.remove(id) }
        if !flag { naive.ended.remove(id) }
        send(.userPause(id, flag))
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

@Suite("Feed: 10,000 gestures over 1,000 cells compared with a naive feed")
struct CoreSimulationTests {
    private static let rules: [FeedRule] = [
        .mostVisible(atLeast: 0.5), .firstWhollyVisible, .first(atLeast: 0.85), .all(atLeast: 0, upTo: 4),
        .atPoint(x: 0.5, y: 0.5),
    ]

    /// Each seed is 500 gestures. Every rule is used four times, with and without a speed below which the feed chooses
    /// at once.
    @Test(
        "The core decides according to the rule at every step",
        arguments: (1...20).map(UInt64.init).samples
    )
    func gestures(seed: UInt64) {
        let rule = Self.rules[Int(seed) % Self.rules.count]
        var simulation = Simulation(seed: seed, rule: rule, slowSpeed: seed % 2 == 0 ? 60 : nil)
        for _ in 0..<500 where simulation.faults.isEmpty { simulation.gesture() }
        #expect(simulation.faults == [], "seed \(seed), \(rule)")
        #expect(simulation.steps > 2000)
    }
}
