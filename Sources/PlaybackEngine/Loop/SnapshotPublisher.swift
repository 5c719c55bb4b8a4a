import MediaCore
import PlayheadBackend

/// What is published and counted. Confined to the control lane.
struct SnapshotPublisher {
    let observer: PlaybackLoop.Observer
    var counters = PlaybackCounters()
    var frameRate = FrameRateMeter()
    /// What notices have told so far.
    private var visible = PlaybackSnapshot()
    /// A notice has changed `visible` since it was published.
    private var hasNews = true
    /// As it is now, and as it was published.
    var changes: Changes?
    private var published: Changes?
    private var reportedRate = PlaybackRate.stopped
    private var stall = StallClock()
    /// Read for items, and for earlier openings of the current one, that are closed.
    private var bytesOfClosed = 0

    init(observer: @escaping PlaybackLoop.Observer) { self.observer = observer }

    /// The part of a snapshot that no notice tells.
    struct Changes: Equatable {
        var seekTarget: MediaTime?
        var pipeline: ObjectIdentifier?
        var enabledTracks: Set<Int>
        var presentationSize: PixelSize
        var isReadyForDisplay: Bool
        var counters: PlaybackCounters
        var audio: AudioDeviceFacts
        var frameRate: Float
        var timeline: Timeline
        var origin: PassOrigin
        var passEnd: ItemTime?
    }

    mutating func apply(_ notice: PlaybackNotice, _ state: PlaybackState) {
        visible.apply(notice, state)
        hasNews = true
    }

    /// A new snapshot would not be like the last one.
    var hasChanged: Bool { hasNews || changes != published }

    /// Brings `snapshot` up to now. What is large is copied only where it has changed.
    mutating func publish(
        into snapshot: inout PlaybackSnapshot,
        _ description: @autoclosure () -> MediaDescription?
    ) {
        guard let changes else { return }
        if hasNews { snapshot = visible }
        if hasNews || changes.pipeline != published?.pipeline { snapshot.description = description() }
        hasNews = false
        published = changes
        snapshot.seekTarget = changes.seekTarget
        snapshot.enabledTracks = changes.enabledTracks
        snapshot.presentationSize = changes.presentationSize
        snapshot.isReadyForDisplay = changes.isReadyForDisplay
        snapshot.counters = changes.counters
        snapshot.audio = changes.audio
        snapshot.frameRate = changes.frameRate
        snapshot.timeline = changes.timeline
        snapshot.origin = changes.origin
        snapshot.passEnd = changes.passEnd
    }

    /// nil: the rate is the one that was reported last.
    mutating func newRate(_ rate: PlaybackRate) -> PlaybackRate? {
        guard rate != reportedRate else { return nil }
        reportedRate = rate
        return rate
    }

    // MARK: Counting

    /// `late`: nanoseconds between due and presented.
    mutating func countPresented(late: Int64) {
        counters.framesPresented += 1
        counters.totalLateness &+= late
        counters.worstLateness = max(counters.worstLateness, late)
        if late > PlaybackCounters.lateThreshold { counters.framesLate += 1 }
    }

    mutating func countBytes(of closed: OpenItem) {
        bytesOfClosed += closed.pipeline?.withProgress(\.bytes) ?? 0
    }

    mutating func countVariants(_ old: Variant?, _ new: Variant?) {
        guard let old, let new, old.trackIDs != new.trackIDs else { return }
        counters.variantChanges += 1
    }

    /// Bytes of an item count from the moment when observers know that it is current; nil: they know of none.
    mutating func measureBytes(of current: ItemPipeline?) {
        counters.bytesRead = bytesOfClosed + (current?.withProgress(\.bytes) ?? 0)
    }

    mutating func measureStall(_ isStalled: Bool, _ item: ItemID?, at now: HostTime) {
        counters.totalStallTime &+= stall.update(isStalled, item, now)
    }
}

/// Measures from the beginning of a stall to its end.
struct StallClock {
    private var begin: (item: ItemID?, time: HostTime)?

    /// Nanoseconds to add: those of a stall that has just ended.
    mutating func update(_ isStalled: Bool, _ item: ItemID?, _ now: HostTime) -> Int64 {
        guard let begin else {
            if isStalled { self.begin = (item, now) }
            return 0
        }
        guard !isStalled || begin.item != item else { return 0 }
        self.begin = isStalled ? (item, now) : nil
        return now.nanoseconds(since: begin.time)
    }
}
