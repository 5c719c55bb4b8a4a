import MediaCore
import PlayheadBackend

/// The subtitles, or the metadata, of the current item: read beside it, and told when they come due.
struct CueTrack {
    let id: ItemID
    let source: CueSource
    let stage: CueStage
    let runner: StageRunner
    let lane: any Lane
    /// Called with the demuxer when it is let go of.
    let didClose: @Sendable (any Demuxer) -> Void
    /// What each listener has been told since the last jump.
    private var delivered: [ObjectIdentifier: Set<CueList.Entry>] = [:]
    /// Where in playing it was told; nil: nothing was.
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
        stage.setWakeHandler { [weak runner] in runner?.wake() }
    }

    func close() {
        stage.cancel()
        didClose(stage.demuxer)
        runner.stop()
        // A file may take its time to be closed.
        lane.enqueue { [stage] in withExtendedLifetime(stage) {} }
    }

    /// What was told is no longer due.
    func flush() { for listener in source.listeners() { listener.receive(.flushed) } }

    /// It listens no more; should it come back, it is told anew of what is due then.
    mutating func removeListener(_ listener: ObjectIdentifier) { delivered[listener] = nil }

    /// Frames of another opening of the same item follow: that is no jump.
    mutating func adopt(_ epoch: Epoch) {
        if position != nil { position = CueTracks.Position(epoch: epoch, pass: 0) }
    }

    /// Tells what has come due at `time`. The item time at which there is something to tell next; nil: none.
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

/// The text tracks of the current item, one of each kind at most.
struct CueTracks {
    /// Cues that were told in another place are told again.
    struct Position: Equatable {
        var epoch: Epoch
        var pass: Int
    }

    private var tracks: [CueKind: CueTrack] = [:]

    subscript(kind: CueKind) -> CueTrack? { tracks[kind] }
    var isEmpty: Bool { tracks.isEmpty }

    /// The old feed of the kind is let go of; its listeners hear that nothing is due.
    mutating func replace(_ kind: CueKind, with track: CueTrack?) {
        if let old = tracks.removeValue(forKey: kind) {
            old.flush()
            old.close()
        }
        tracks[kind] = track
    }

    mutating func close() {
        for track in tracks.values { track.close() }
        tracks = [:]
    }

    mutating func removeListener(_ listener: ObjectIdentifier, _ kind: CueKind) {
        tracks[kind]?.removeListener(listener)
    }

    mutating func adopt(_ epoch: Epoch) { for kind in tracks.keys { tracks[kind]?.adopt(epoch) } }

    /// `Track.id` of the tracks that are read.
    func addTrackIDs(to ids: inout Set<Int>) {
        for track in tracks.values { if let id = track.stage.trackID { ids.insert(id) } }
    }

    /// The item times at which there is something to tell next.
    mutating func update(at time: ItemTime, _ position: Position, isReverse: Bool) -> [ItemTime] {
        // Subtitles before metadata, each time.
        [CueKind.subtitles, .metadata].compactMap {
            tracks[$0]?.update(at: time, position, isReverse: isReverse)
        }
    }
}
