import MediaCore
import PlayheadBackend

/// A cue track of the current item: subtitles or timed metadata, read independently of playback and delivered
/// when due.
struct CueTrack {
    /// The conditions under which the result of a search for due cues is valid, besides the time.
    private struct Conditions: Equatable {
        struct Listener: Equatable {
            var id: ObjectIdentifier
            var advance: Int64
            var reportsEnds, suppressesRendering: Bool
        }

        var revision: Int
        var listeners: [Listener]
        var isReverse: Bool

        init(_ listeners: [CueListener], revision: Int, isReverse: Bool) {
            self.revision = revision
            self.listeners = listeners.map {
                Listener(
                    id: $0.id,
                    advance: $0.advance,
                    reportsEnds: $0.reportsEnds,
                    suppressesRendering: $0.suppressesRendering
                )
            }
            self.isReverse = isReverse
        }
    }

    /// A search for due cues, which has the same result until `next`.
    private struct Search {
        var conditions: Conditions
        var time: ItemTime
        /// The item time at which the result changes, or nil if none is known.
        var next: ItemTime?

        /// Whether a search at `time` has the same result.
        func isValid(at time: ItemTime, _ conditions: Conditions) -> Bool {
            guard conditions == self.conditions else { return false }
            return conditions.isReverse
                ? time <= self.time && next.map { time > $0 } ?? true
                : time >= self.time && next.map { time < $0 } ?? true
        }
    }

    let id: ItemID
    let source: CueSource
    let stage: CueStage
    let runner: StageRunner
    let lane: any Lane
    /// Called with the demuxer when the track is closed.
    let didClose: @Sendable (any Demuxer) -> Void
    /// The cues delivered to each listener since the last jump.
    private var delivered: [ObjectIdentifier: [CueList.Entry.Identity: CueList.Entry]] = [:]
    /// The position for which cues were delivered, or nil if none were.
    private var position: CueTracks.Position?
    /// The last searches for the cues to deliver and to draw. Many cues may overlap, so they are not examined at each
    /// update.
    private var delivery: Search?
    private var drawing: Search?

    init(
        id: ItemID,
        source: CueSource,
        stage: CueStage,
        lane: any Lane,
        didClose: @escaping @Sendable (any Demuxer) -> Void
    ) {
        self.didClose = didClose
        self.id = id
        self.source = source
        self.stage = stage
        self.lane = lane
        let runner = StageRunner(stage, on: lane)
        self.runner = runner
        runner.wakes(for: stage.demuxer)
    }

    func close() {
        stage.cancel()
        didClose(stage.demuxer)
        runner.stop()
        // Closing a file may be slow, so it happens on the lane.
        lane.enqueue { [stage] in withExtendedLifetime(stage) {} }
    }

    /// Informs the listeners that the delivered cues are no longer due.
    func flush() { for listener in source.listeners() { listener.receive(.flushed) } }

    /// Removes a listener. If it is added again, the cues that are due then are delivered again.
    mutating func removeListener(_ listener: ObjectIdentifier) {
        delivered[listener] = nil
        delivery = nil
    }

    /// Continues in a new epoch without a jump, after the same item has been reloaded.
    mutating func adopt(_ epoch: Epoch) {
        if position != nil { position = CueTracks.Position(epoch: epoch, pass: 0) }
    }

    /// Delivers the cues that have come due at `time`. Returns the item time of the next delivery, or nil if
    /// there is none.
    mutating func update(at time: ItemTime, _ newPosition: CueTracks.Position, isReverse: Bool) -> ItemTime? {
        let hasJumped = position != newPosition
        if hasJumped {
            if position != nil { flush() }
            position = newPosition
            delivered = [:]
        }
        if stage.play(at: time, jumped: hasJumped, isReverse: isReverse) { runner.wake() }
        let listeners = source.listeners()
        let conditions = Conditions(listeners, revision: stage.cueRevision, isReverse: isReverse)
        if !hasJumped, let delivery, delivery.isValid(at: time, conditions) { return delivery.next }
        let isContinued = !hasJumped && !isReverse && delivery?.conditions == conditions
        let since = isContinued ? delivery.map(\.time).flatMap { $0 <= time ? $0 : nil } : nil
        let next = deliver(to: listeners, at: time, since: since, isReverse: isReverse)
        delivery = Search(conditions: conditions, time: time, next: next)
        return next
    }

    /// Returns the cues to draw at `time`, or nil if they are those of the last call, and the item time at which others
    /// are due; nil if none is known.
    mutating func drawn(at time: ItemTime, isReverse: Bool) -> (cues: [CueList.Entry]?, next: ItemTime?) {
        let listeners = source.listeners()
        let conditions = Conditions(listeners, revision: stage.cueRevision, isReverse: isReverse)
        if let drawing, drawing.isValid(at: time, conditions) { return (nil, drawing.next) }
        let cues = stage.cues
        let due = listeners.contains(where: \.suppressesRendering) ? [] : cues.due(from: time, to: time)
        let changes =
            [cues.next(after: time, isReverse: isReverse)].compactMap(\.self)
            + due.map { isReverse ? $0.start - 1 : $0.end }.filter { $0 < .distantFuture }
        let next = isReverse ? changes.max() : changes.min()
        drawing = Search(conditions: conditions, time: time, next: next)
        return (due, next)
    }

    /// Delivers the cues that have come due at `time`. If only time has passed since an earlier search, its time is
    /// `since`.
    private mutating func deliver(
        to listeners: [CueListener],
        at time: ItemTime,
        since: ItemTime?,
        isReverse: Bool
    ) -> ItemTime? {
        let cues = stage.cues
        var next: ItemTime?
        var current: [ObjectIdentifier: [CueList.Entry.Identity: CueList.Entry]] = [:]
        for listener in listeners {
            let edge = isReverse ? time - listener.advance : time + listener.advance
            var known = delivered.removeValue(forKey: listener.id)
            var changes = [cues.next(after: edge, isReverse: isReverse)].compactMap(\.self)
            defer {
                let deliveryTimes =
                    changes.map { isReverse ? $0 + listener.advance : $0 - listener.advance }
                    + [next].compactMap(\.self)
                next = isReverse ? deliveryTimes.max() : deliveryTimes.min()
            }
            if let since, !listener.reportsEnds, listener.advance >= 0, known != nil {
                // The cues that began earlier have been examined.
                let new = cues.starting(after: since + listener.advance, through: edge)
                    .filter { $0.end > time && !$0.isDrawnOnly }
                for entry in new { known?[entry.identity] = entry }
                current[listener.id] = known
                if !new.isEmpty { listener.receive(.due(new.map(\.cue), at: time.mediaTime)) }
                continue
            }
            // Ends are reported as early as starts are, so only the cues at the edge count. After a jump there may be
            // cues that end before the edge.
            let first = listener.reportsEnds && known != nil ? edge : time
            let due = cues.due(from: min(first, edge), to: max(first, edge)).filter { !$0.isDrawnOnly }
            // Many cues may overlap, so they are found by their identity.
            let new = due.filter { known?[$0.identity] == nil }
            let shown = Dictionary(due.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
            current[listener.id] = shown
            if !new.isEmpty { listener.receive(.due(new.map(\.cue), at: time.mediaTime)) }
            if listener.reportsEnds {
                let ended = (known ?? [:]).values.filter { shown[$0.identity] == nil }
                    .sorted { $0.start < $1.start }
                if !ended.isEmpty { listener.receive(.ended(ended.map(\.cue), at: time.mediaTime)) }
                changes += due.map { isReverse ? $0.start - 1 : $0.end }.filter { $0 < .distantFuture }
            }
        }
        delivered = current
        return next
    }
}
