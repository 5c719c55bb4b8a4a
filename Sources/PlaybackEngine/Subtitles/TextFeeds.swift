import MediaCore
import PlayheadBackend

/// The subtitles, or the metadata, of the current item: read beside it, and told when they come due.
struct TextFeed {
    let id: ItemID
    let source: TextSource
    let stage: TextStage
    let runner: StageRunner
    let lane: any Lane
    /// Called with the demuxer when it is let go of.
    let isOver: @Sendable (any Demuxer) -> Void
    /// What each listener has been told since the last jump.
    private var told: [ObjectIdentifier: Set<CueList.Entry>] = [:]
    /// Where in playing it was told; nil: nothing was.
    private var place: TextFeeds.Place?

    init(
        id: ItemID,
        source: TextSource,
        stage: TextStage,
        lane: any Lane,
        isOver: @escaping @Sendable (any Demuxer) -> Void
    ) {
        self.isOver = isOver
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
        isOver(stage.demuxer)
        runner.stop()
        // A file may take its time to be closed.
        lane.enqueue { [stage] in withExtendedLifetime(stage) {} }
    }

    /// What was told is no longer due.
    func flush() { for listener in source.listeners() { listener.take(.flushed) } }

    /// It listens no more; should it come back, it is told anew of what is due then.
    mutating func forget(_ listener: ObjectIdentifier) { told[listener] = nil }

    /// Frames of another opening of the same item follow: that is no jump.
    mutating func keep(_ epoch: Epoch) {
        if place != nil { place = TextFeeds.Place(epoch: epoch, pass: 0) }
    }

    /// Tells what has come due at `time`. The item time at which there is something to tell next; nil: none.
    mutating func update(at time: ItemTime, _ newPlace: TextFeeds.Place, isReverse: Bool) -> ItemTime? {
        let hasJumped = place != newPlace
        if hasJumped {
            if place != nil { flush() }
            place = newPlace
            told = [:]
        }
        if stage.play(at: time, jumped: hasJumped) { runner.wake() }
        return tell(at: time, isReverse: isReverse)
    }

    private mutating func tell(at time: ItemTime, isReverse: Bool) -> ItemTime? {
        let cues = stage.cues
        var next: ItemTime?
        var heard: [ObjectIdentifier: Set<CueList.Entry>] = [:]
        for listener in source.listeners() {
            let edge = isReverse ? time - listener.advance : time + listener.advance
            let due = cues.due(from: min(time, edge), to: max(time, edge))
            let known = told[listener.id] ?? []
            let new = due.filter { entry in
                !known.contains {
                    $0.start == entry.start && $0.cue.text == entry.cue.text
                        && $0.cue.values == entry.cue.values
                }
            }
            heard[listener.id] = Set(due)
            if !new.isEmpty { listener.take(.due(new.map(\.cue), at: time.mediaTime)) }
            guard let then = cues.next(after: edge, isReverse: isReverse) else { continue }
            let moment = isReverse ? then + listener.advance : then - listener.advance
            next = next.map { isReverse ? max($0, moment) : min($0, moment) } ?? moment
        }
        told = heard
        return next
    }
}

/// The text tracks of the current item, one of each kind at most.
struct TextFeeds {
    /// Cues that were told in another place are told again.
    struct Place: Equatable {
        var epoch: Epoch
        var pass: Int
    }

    private var feeds: [TextKind: TextFeed] = [:]

    subscript(kind: TextKind) -> TextFeed? { feeds[kind] }
    var isEmpty: Bool { feeds.isEmpty }

    /// The old feed of the kind is let go of; its listeners hear that nothing is due.
    mutating func replace(_ kind: TextKind, with feed: TextFeed?) {
        if let old = feeds.removeValue(forKey: kind) {
            old.flush()
            old.close()
        }
        feeds[kind] = feed
    }

    mutating func close() {
        for feed in feeds.values { feed.close() }
        feeds = [:]
    }

    mutating func forget(_ kind: TextKind, _ listener: ObjectIdentifier) { feeds[kind]?.forget(listener) }

    mutating func keep(_ epoch: Epoch) { for kind in feeds.keys { feeds[kind]?.keep(epoch) } }

    /// `Track.id` of the tracks that are read.
    func addTracks(to tracks: inout Set<Int>) {
        for feed in feeds.values { if let track = feed.stage.trackID { tracks.insert(track) } }
    }

    /// The item times at which there is something to tell next.
    mutating func update(at time: ItemTime, _ place: Place, isReverse: Bool) -> [ItemTime] {
        // Subtitles before metadata, each time.
        [TextKind.subtitles, .metadata].compactMap {
            feeds[$0]?.update(at: time, place, isReverse: isReverse)
        }
    }
}
