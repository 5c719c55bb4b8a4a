import Foundation
public import MediaCore

/// Decides who plays in a scrolling list, who is made ready, and who gives its player back. A value without clocks,
/// players or I/O: events and the time come in, a plan comes out. `FeedPlayer` carries plans out.
///
/// A cell that is not the rule's any more loses its turn at once. Another one gets it when the list has settled, when it
/// scrolls slowly, or when something other than scrolling happened.
public struct FeedCore<ID: Hashable & Sendable>: Sendable {
    /// How it decides. A change counts from the next event on.
    public var settings: FeedSettings
    /// What is to be now.
    public internal(set) var plan = FeedPlan<ID>()
    /// What has changed with the last event.
    public internal(set) var changes: [FeedChange<ID>] = []

    /// What is known of a clip beyond its geometry.
    struct Facts: Sendable {
        var isPausedByUser = false
        var isWaiting = false
        var hasEnded = false
        var hasFailed = false
        var hasStarted = false
        /// Has all, or enough ahead.
        var isFed = false
        /// Seconds.
        var position: Double?
    }

    var table = CellTable<ID>()
    var viewport = FeedViewport(.zero)
    var facts: [ID: Facts] = [:]
    var isOnScreen = true
    var isInBackground = false
    /// Nobody is heard; true until `FeedEvent.mute` says otherwise.
    public internal(set) var isMuted = true
    /// When it moved last; nil: it stands.
    var lastMoved: HostTime?
    /// It scrolls slower than `slowSpeed`.
    var isSlow = false
    /// Towards the start of the list.
    var goesBack = false
    /// By the rule, as far as they have not left since.
    var chosen: [ID] = []
    var ready: [ID] = []
    /// In view at the last event.
    private var seen: Set<ID> = []

    /// Nothing is known yet; tell it of the cells and the viewport.
    public init(_ settings: FeedSettings = FeedSettings()) { self.settings = settings }

    /// Takes one event and decides anew. `now` never goes back.
    @discardableResult
    public mutating func handle(_ event: FeedEvent<ID>, at now: HostTime) -> FeedPlan<ID> {
        let old = plan
        apply(event, now)
        if let lastMoved, now >= settled(lastMoved) { self.lastMoved = nil }
        let visible = table.visible(in: viewport)
        choose(visible)
        forget(visible)
        prepare(visible)
        plan = makePlan(visible)
        let isListed = { [table] id in table.places[id] != nil }
        changes = plan.changes(since: old) { [facts, seen] was in
            if !isListed(was.id) { return .removed }
            if facts[was.id]?.hasFailed == true { return .failed }
            if seen.contains(was.id) { return .room }
            return was.role == .ready ? .behind : .left
        }
        return plan
    }

    /// Whether another cell may be chosen, and made ready.
    var mayEnter: Bool { lastMoved == nil || isSlow }

    func settled(_ moved: HostTime) -> HostTime {
        moved.advanced(by: Int64(max(0, min(settings.settlingTime, 3600)) * 1e9))
    }

    private mutating func apply(_ event: FeedEvent<ID>, _ now: HostTime) {
        switch event {
        case .cells(let cells): list(cells)
        case .layout(let cells, let new, let phase):
            list(cells)
            scroll(to: new, nil, phase, now)
        case .viewport(let new):
            turn(to: new)
            lastMoved = nil
        case .scroll(let new, let velocity, let phase):
            scroll(to: new, velocity, phase, now)
        case .onScreen(let flag): isOnScreen = flag
        case .background(let flag): isInBackground = flag
        case .mute(let flag): isMuted = flag
        case .userPause(let id, let flag):
            change(id) { facts in
                facts.isPausedByUser = flag
                // Whoever presses play at the end wants it again.
                if !flag { facts.hasEnded = false }
            }
        case .started(let id): change(id, ifChosen: true) { $0.hasStarted = true }
        case .waiting(let id, let flag): change(id, ifChosen: true) { $0.isWaiting = flag }
        case .buffered(let id, let seconds, let isFull):
            // Between the two it stays as it is, so that loading does not start and stop all the time.
            let (enough, little) = (settings.secondsAhead, min(1, settings.secondsAhead))
            change(id, ifChosen: true) {
                $0.isFed = isFull || seconds >= enough || $0.isFed && seconds >= little
            }
        case .ended(let id): change(id) { $0.hasEnded = true }
        case .failed(let id): change(id) { $0.hasFailed = true }
        case .time: break
        }
    }

    private mutating func list(_ cells: [FeedCell<ID>]) {
        table = CellTable(cells)
        facts = facts.filter { table.places[$0.key] != nil }
    }

    /// `ifChosen`: what counts of what plays alone.
    private mutating func change(_ id: ID, ifChosen: Bool = false, _ body: (inout Facts) -> Void) {
        guard table.places[id] != nil, !ifChosen || chosen.contains(id) else { return }
        body(&facts[id, default: Facts()])
    }

    private mutating func scroll(
        to new: FeedViewport,
        _ velocity: Double?,
        _ phase: ScrollPhase,
        _ now: HostTime
    ) {
        let hasMoved = new != viewport
        turn(to: new)
        if let velocity, velocity != 0, !velocity.isNaN { goesBack = velocity < 0 }
        let speed = phase == .settled ? 0 : velocity.map(abs) ?? .infinity
        isSlow = settings.slowSpeed.map { speed < $0 } ?? false
        // A finger that rests moves nothing, and the time goes on.
        if hasMoved { lastMoved = now }
    }

    private mutating func turn(to new: FeedViewport) {
        let (from, to) = (viewport.visible, new.visible)
        let distance = table.isHorizontal ? to.minX - from.minX : to.minY - from.minY
        if distance != 0, !distance.isNaN { goesBack = distance < 0 }
        viewport = new
    }

    /// A cell that goes out of view gets another turn when it comes back: its end and its failure are over. One that
    /// failed while it was made ready, out of view, has failed until then.
    private mutating func forget(_ visible: [Int]) {
        let now = Set(visible.map { table.cells[$0].id })
        for id in seen where !now.contains(id) {
            facts[id]?.hasEnded = false
            facts[id]?.hasFailed = false
        }
        seen = now
        for id in plan.chosen where !chosen.contains(id) {
            facts[id]?.hasStarted = false
            facts[id]?.isFed = false
            facts[id]?.isWaiting = false
        }
    }

    // MARK: Where a clip goes on

    /// A clip leaves its player at `time`, in seconds. `duration` nil: not known.
    public mutating func keepPosition(of id: ID, at time: Double, duration: Double?) {
        change(id) { $0.position = Self.resumable(time, duration) }
    }

    /// Where a clip begins that gets a player, in seconds: where it was, or 0.
    public func startTime(of id: ID) -> Double {
        settings.leaving == .pause ? facts[id]?.position ?? 0 : 0
    }

    /// Within half a second of the end there is nothing left to see.
    private static func resumable(_ time: Double, _ duration: Double?) -> Double? {
        guard time.isFinite, time > 0 else { return nil }
        if let duration, duration.isFinite, time > duration - 0.5 { return nil }
        return time
    }
}
