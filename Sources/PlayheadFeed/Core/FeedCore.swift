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
    /// Whether the list moves towards its start.
    var isMovingBackward = false
    /// The clips that the rule chose and that still satisfy it.
    var chosen: [ID] = []
    var ready: [ID] = []
    /// The cells that were visible at the last event.
    private var visibleIDs: Set<ID> = []

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
        apply(event, now)
        if let lastMoved, now >= settlingEnd(lastMoved) { self.lastMoved = nil }
        let visible = table.visible(in: viewport)
        choose(visible)
        resetCellsThatLeft(visible)
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
        moved.advanced(by: Int64(clamping: max(0, min(settings.settlingTime, 3600)) * 1e9))
    }

    private mutating func apply(_ event: FeedEvent<ID>, _ now: HostTime) {
        switch event {
        case .cells(let cells): setCells(cells)
        case .layout(let cells, let new, let phase):
            setCells(cells)
            scroll(to: new, nil, phase, now)
        case .viewport(let new):
            moveViewport(to: new)
            lastMoved = nil
        case .scroll(let new, let velocity, let phase):
            scroll(to: new, velocity, phase, now)
        case .onScreen(let flag): isOnScreen = flag
        case .background(let flag): isInBackground = flag
        case .mute(let flag): isMuted = flag
        case .userPause(let id, let flag):
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
        case .time: break
        }
    }

    private mutating func setCells(_ cells: [FeedCell<ID>]) {
        table = CellTable(cells)
        facts = facts.filter { table.indices[$0.key] != nil }
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
        moveViewport(to: new)
        if let velocity, velocity != 0, !velocity.isNaN { isMovingBackward = velocity < 0 }
        let speed = phase == .settled ? 0 : velocity.map(abs) ?? .infinity
        isSlow = settings.slowSpeed.map { speed < $0 } ?? false
        // A finger that rests on the screen does not restart the settling time.
        if hasMoved { lastMoved = now }
    }

    private mutating func moveViewport(to new: FeedViewport) {
        let (from, to) = (viewport.visible, new.visible)
        let distance = table.isHorizontal ? to.minX - from.minX : to.minY - from.minY
        if distance != 0, !distance.isNaN { isMovingBackward = distance < 0 }
        viewport = new
    }

    /// Resets the end and the failure of cells that have left the view, so that they can play when they return. The
    /// failure of a clip that was preloaded out of view is kept until its cell has been visible.
    private mutating func resetCellsThatLeft(_ visible: [Int]) {
        let now = Set(visible.map { table.cells[$0].id })
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
