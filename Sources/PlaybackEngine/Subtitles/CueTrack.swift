import MediaCore
import PlayheadBackend

/// A cue track of the current item: subtitles or timed metadata, read independently of playback and delivered
/// when due.
struct CueTrack {
    let id: ItemID
    let source: CueSource
    let stage: CueStage
    let runner: StageRunner
    let lane: any Lane
    /// Called with the demuxer when the track is closed.
    let didClose: @Sendable (any Demuxer) -> Void
    /// The cues delivered to each listener since the last jump.
    private var delivered: [ObjectIdentifier: Set<CueList.Entry>] = [:]
    /// The position for which cues were delivered, or nil if none were.
    private var position: CueTracks.Position?

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
    mutating func removeListener(_ listener: ObjectIdentifier) { delivered[listener] = nil }

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
        if stage.play(at: time, jumped: hasJumped) { runner.wake() }
        return deliver(at: time, isReverse: isReverse)
    }

    private mutating func deliver(at time: ItemTime, isReverse: Bool) -> ItemTime? {
        let cues = stage.cues
        var next: ItemTime?
        var current: [ObjectIdentifier: Set<CueList.Entry>] = [:]
        for listener in source.listeners() {
            let edge = isReverse ? time - listener.advance : time + listener.advance
            let due = cues.due(from: min(time, edge), to: max(time, edge))
            let known = delivered[listener.id] ?? []
            let new = due.filter { entry in
                !known.contains {
                    $0.start == entry.start && $0.cue.text == entry.cue.text
                        && $0.cue.values == entry.cue.values
                }
            }
            current[listener.id] = Set(due)
            if !new.isEmpty { listener.receive(.due(new.map(\.cue), at: time.mediaTime)) }
            guard let nextStart = cues.next(after: edge, isReverse: isReverse) else { continue }
            let deliveryTime = isReverse ? nextStart + listener.advance : nextStart - listener.advance
            next = next.map { isReverse ? max($0, deliveryTime) : min($0, deliveryTime) } ?? deliveryTime
        }
        delivered = current
        return next
    }
}
