import Foundation
public import MediaCore

/// The decision logic of a feed: which clips of a scrolling list play, which are preloaded, and which give up their
/// player.
///
/// The core is a value without clocks, players or I/O. It receives events with the current time and produces a plan,
/// which `FeedPlayer` applies.
///
/// A cell that no longer satisfies the rule stops playing immediately. A new cell is chosen once the list has settled,
/// while it scrolls slowly, or when an event other than scrolling occurs.
public struct FeedCore<ID: Hashable & Sendable>: Sendable {
    /// The settings of the feed. A change takes effect with the next event.
    public var settings: FeedSettings
    /// The plan that results from the last event.
    public internal(set) var plan = FeedPlan<ID>()
    /// The differences between the current plan and the previous one.
    public internal(set) var changes: [FeedChange<ID>] = []

    /// The state of a clip, apart from its geometry.
    struct Facts: Sendable {
        var isPausedByUser = false
        var isWaiting = false
        var hasEnded = false
        var hasFailed = false
        var hasStarted = false
        /// Whether the clip has buffered enough, or completely.
        var hasEnoughBuffered = false
        /// The position to resume from, in seconds.
        var position: Double?
    }

    var table = CellTable<ID>()
    var viewport = FeedViewport(.zero)
    var facts: [ID: Facts] = [:]
    var isOnScreen = true
    var isInBackground = false
    /// A Boolean value that indicates whether the whole feed is muted. It is true until `FeedEvent.mute` changes it.
    public internal(set) var isMuted = true
    /// The time of the last movement, or nil if the list has settled.
    var lastMoved: HostTime?
    /// Whether the list scrolls more slowly than `FeedSettings.slowSpeed`.
    var isSlow = false
    /// Whether the list moves towards its first cell.
    var isMovingBackward = false
    /// The offset that the list has reached in its direction of travel.
    private var furthestOffset = 0.0
    /// The clips that the user paused before their cells were listed.
    private var pausedBeforeListed: Set<ID> = []
    /// The clips that the rule chose and that still satisfy it.
    var chosen: [ID] = []
    var ready: [ID] = []
    /// The cells that were visible at the last event.
    private var visibleIDs: Set<ID> = []

    /// The distance in points that a list without a known velocity travels before its direction changes. A finger that
    /// rests on the screen moves less.
    private static var minimumTravel: Double { 10 }
    /// The velocity in points per second below which a velocity says nothing about the direction.
    private static var minimumVelocity: Double { 20 }

    /// Creates a feed without cells. Nothing is planned until the core has received the cells and the viewport.
    ///
    /// - Parameter settings: The settings of the feed.
    public init(_ settings: FeedSettings = FeedSettings()) { self.settings = settings }

    /// Processes an event and updates the plan.
    ///
    /// - Parameters:
    ///   - event: The event to process.
    ///   - now: The current time. It must not decrease from one call to the next.
    /// - Returns: The new plan, which is also available as `plan`.
    @discardableResult
    public mutating func handle(_ event: FeedEvent<ID>, at now: HostTime) -> FeedPlan<ID> {
        let old = plan
        if table.axis != settings.axis || table.wraps != settings.wraps { setCells(table.cells) }
        apply(event, now)
        if let lastMoved, now >= settlingEnd(lastMoved) { self.lastMoved = nil }
        let visible = table.visible(in: viewport)
        choose(visible)
        resetCells(visible)
        prepare(visible)
        plan = makePlan(visible)
        let isListed = { [table] id in table.indices[id] != nil }
        changes = plan.changes(since: old) { [facts, visibleIDs] entry in
            if !isListed(entry.id) { return .removed }
            if facts[entry.id]?.hasFailed == true { return .failed }
            if visibleIDs.contains(entry.id) { return .evicted }
            return entry.role == .ready ? .passed : .leftView
        }
        return plan
    }

    /// Whether another cell may be chosen or preloaded.
    var allowsNewChoice: Bool { lastMoved == nil || isSlow }

    func settlingEnd(_ moved: HostTime) -> HostTime {
        moved + max(.zero, min(settings.settlingTime, .seconds(3600)))
    }

    private mutating func apply(_ event: FeedEvent<ID>, _ now: HostTime) {
        switch event {
        case .cells(let cells): setCells(cells)
        case .layout(let cells, let new, let phase):
            setCells(cells)
            if let phase { scroll(to: new, nil, phase, now) } else { setViewport(new) }
        case .viewport(let new): setViewport(new)
        case .scroll(let new, let velocity, let phase):
            scroll(to: new, velocity, phase, now)
        case .onScreen(let flag): isOnScreen = flag
        case .background(let flag): isInBackground = flag
        case .mute(let flag): isMuted = flag
        case .userPause(let id, let flag):
            if table.indices[id] == nil {
                if flag { pausedBeforeListed.insert(id) } else { pausedBeforeListed.remove(id) }
            }
            change(id) { facts in
                facts.isPausedByUser = flag
                // Playing a clip that has ended starts it again.
                if !flag { facts.hasEnded = false }
            }
        case .started(let id): change(id, ifChosen: true) { $0.hasStarted = true }
        case .waiting(let id, let flag): change(id, ifChosen: true) { $0.isWaiting = flag }
        case .buffered(let id, let seconds, let isFull):
            // The two thresholds form a hysteresis, so that preloading does not start and stop repeatedly.
            let (sufficient, minimum) = (settings.secondsAhead, min(1, settings.secondsAhead))
            change(id, ifChosen: true) {
                $0.hasEnoughBuffered =
                    isFull || seconds >= sufficient || $0.hasEnoughBuffered && seconds >= minimum
            }
        case .ended(let id): change(id) { $0.hasEnded = true }
        case .failed(let id): change(id) { $0.hasFailed = true }
        case .retry(let id): change(id) { ($0.hasFailed, $0.hasEnded) = (false, false) }
        case .time: break
        }
    }

    private mutating func setCells(_ cells: [FeedCell<ID>]) {
        let old = table
        table = CellTable(cells, axis: settings.axis, wraps: settings.wraps)
        if (table.isHorizontal, table.isReversed) != (old.isHorizontal, old.isReversed) {
            furthestOffset = table.offset(of: viewport)
        }
        facts = facts.filter { table.indices[$0.key] != nil }
        for id in pausedBeforeListed where table.indices[id] != nil {
            pausedBeforeListed.remove(id)
            change(id) { $0.isPausedByUser = true }
        }
    }

    /// Updates the state of a clip that is in the list. With `ifChosen`, the update is ignored unless the clip is
    /// chosen.
    private mutating func change(_ id: ID, ifChosen: Bool = false, _ body: (inout Facts) -> Void) {
        guard table.indices[id] != nil, !ifChosen || chosen.contains(id) else { return }
        body(&facts[id, default: Facts()])
    }

    private mutating func scroll(
        to new: FeedViewport,
        _ velocity: Double?,
        _ phase: ScrollPhase,
        _ now: HostTime
    ) {
        let hasMoved = new != viewport
        viewport = new
        updateDirection(velocity)
        let speed = phase == .settled ? 0 : velocity.map(abs) ?? .infinity
        isSlow = settings.slowSpeed.map { speed < $0 } ?? false
        // A finger that rests on the screen does not restart the settling time.
        if hasMoved { lastMoved = now }
    }

    /// Moves the viewport without scrolling, which says nothing about the direction of travel.
    private mutating func setViewport(_ new: FeedViewport) {
        viewport = new
        furthestOffset = table.offset(of: new)
        lastMoved = nil
    }

    /// Updates the direction of travel after a scroll step.
    private mutating func updateDirection(_ velocity: Double?) {
        let offset = table.offset(of: viewport)
        let travelled = isMovingBackward ? furthestOffset - offset : offset - furthestOffset
        if let velocity, abs(velocity) >= Self.minimumVelocity {
            isMovingBackward = velocity < 0
        } else if travelled <= -Self.minimumTravel {
            isMovingBackward.toggle()
        } else if travelled < 0 {
            return
        }
        if offset.isFinite { furthestOffset = offset }
    }

    /// Resets the end of cells that have left the view, and the failure of cells that have left it or come into it, so
    /// that they are tried again.
    private mutating func resetCells(_ visible: [Int]) {
        let now = Set(visible.map { table.cells[$0].id })
        for id in now where !visibleIDs.contains(id) { facts[id]?.hasFailed = false }
        for id in visibleIDs where !now.contains(id) {
            facts[id]?.hasEnded = false
            facts[id]?.hasFailed = false
        }
        visibleIDs = now
        for id in plan.chosen where !chosen.contains(id) {
            facts[id]?.hasStarted = false
            facts[id]?.hasEnoughBuffered = false
            facts[id]?.isWaiting = false
        }
    }

    // MARK: Positions

    /// Stores the position of a clip that is about to lose its player.
    ///
    /// A position within half a second of the end is not stored, and the clip starts from zero.
    ///
    /// - Parameters:
    ///   - id: The identity of the clip.
    ///   - time: The current time of the clip, in seconds.
    ///   - duration: The duration of the clip in seconds, or nil if it is unknown.
    public mutating func keepPosition(of id: ID, at time: Double, duration: Double?) {
        change(id) { $0.position = Self.resumable(time, duration) }
    }

    /// Returns the position at which a clip starts when it is given a player.
    ///
    /// - Parameter id: The identity of the clip.
    /// - Returns: The stored position in seconds, or 0 if there is none or the feed rewinds clips that leave.
    public func startTime(of id: ID) -> Double {
        settings.offscreenBehavior == .pause ? facts[id]?.position ?? 0 : 0
    }

    /// Returns the position if it is worth resuming from: finite, positive, and more than half a second before the end.
    private static func resumable(_ time: Double, _ duration: Double?) -> Double? {
        guard time.isFinite, time > 0 else { return nil }
        if let duration, duration.isFinite, time > duration - 0.5 { return nil }
        return time
    }
}
