import MediaCore
import PlayheadBackend

/// Publishes snapshots and keeps the counters. Confined to the control lane.
struct SnapshotPublisher {
    let observer: PlaybackLoop.Observer
    var counters = PlaybackCounters()
    var frameRate = FrameRateMeter()
    /// The state that changes have reported so far.
    private var visible = PlaybackSnapshot()
    /// A Boolean value that indicates whether a report has changed `visible` since it was published.
    private var hasUnpublishedChange = true
    /// The current values, and the published ones.
    var changes: Changes?
    private var published: Changes?
    private var reportedRate = PlaybackRate.stopped
    private var stall = StallClock()
    /// The bytes read for items that are closed, including earlier openings of the current item.
    private var bytesOfClosed = 0

    init(observer: @escaping PlaybackLoop.Observer) { self.observer = observer }

    /// The part of a snapshot whose changes are not reported one at a time.
    struct Changes: Equatable {
        var seekTarget: MediaTime?
        var endTime: MediaTime?
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
        var nextFrameTime: MediaTime?
        var keptRange: MediaTimeRange?
    }

    mutating func apply(_ change: PlaybackChange, _ state: PlaybackState) {
        if visible.apply(change, state) { hasUnpublishedChange = true }
    }

    /// A Boolean value that indicates whether a new snapshot would differ from the published one.
    var hasChanged: Bool { hasUnpublishedChange || changes != published }

    /// Updates `snapshot`. Large values are copied only if they have changed.
    mutating func publish(
        into snapshot: inout PlaybackSnapshot,
        _ description: @autoclosure () -> MediaDescription?
    ) {
        guard let changes else { return }
        if hasUnpublishedChange { snapshot = visible }
        if hasUnpublishedChange || changes.pipeline != published?.pipeline {
            snapshot.description = description()
        }
        hasUnpublishedChange = false
        published = changes
        snapshot.seekTarget = changes.seekTarget
        snapshot.endTime = changes.endTime
        snapshot.enabledTracks = changes.enabledTracks
        snapshot.presentationSize = changes.presentationSize
        snapshot.isReadyForDisplay = changes.isReadyForDisplay
        snapshot.counters = changes.counters
        snapshot.audio = changes.audio
        snapshot.frameRate = changes.frameRate
        snapshot.timeline = changes.timeline
        snapshot.origin = changes.origin
        snapshot.passEnd = changes.passEnd
        snapshot.nextFrameTime = changes.nextFrameTime
        snapshot.keptRange = changes.keptRange
    }

    /// Returns the rate, or nil if it is the one that was reported last.
    mutating func newRate(_ rate: PlaybackRate) -> PlaybackRate? {
        guard rate != reportedRate else { return nil }
        reportedRate = rate
        return rate
    }

    // MARK: Counting

    /// Counts a presented frame. `late` is the time from its due time to its presentation, in nanoseconds.
    mutating func countPresented(late: Int64) {
        counters.framesPresented += 1
        let late = Duration.nanoseconds(late)
        counters.totalLateness += late
        counters.worstLateness = max(counters.worstLateness, late)
        if late > PlaybackCounters.lateThreshold { counters.framesLate += 1 }
    }

    mutating func countBytes(of closed: OpenItem) {
        bytesOfClosed += closed.pipeline?.withProgress(\.bytes) ?? 0
    }

    /// Records that an item continues whose bytes have been counted as those of a closed item.
    mutating func continueBytes(_ bytes: Int) { bytesOfClosed -= bytes }

    mutating func countVariants(_ old: Variant?, _ new: Variant?) {
        guard let old, let new, old.trackIDs != new.trackIDs else { return }
        counters.variantChanges += 1
    }

    /// Measures the bytes read. Bytes of an item count once observers know that it is current; `current` is nil
    /// before that.
    mutating func measureBytes(of current: ItemPipeline?) {
        counters.bytesRead = bytesOfClosed + (current?.withProgress(\.bytes) ?? 0)
    }

    mutating func measureStall(_ isStalled: Bool, _ item: ItemID?, at now: HostTime) {
        counters.totalStallTime += .nanoseconds(stall.update(isStalled, item, now))
    }
}

/// Measures stalls from their beginning to their end.
struct StallClock {
    private var begin: (item: ItemID?, time: HostTime)?

    /// Returns the duration of a stall that has just ended, in nanoseconds, or 0.
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
