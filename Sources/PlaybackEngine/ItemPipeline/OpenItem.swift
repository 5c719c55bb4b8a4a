import MediaCore
import PlayheadBackend

/// An item that is open or opening: the current item, the next one of a queue, or the current one opened again with
/// other settings. It becomes the current item by assignment.
struct OpenItem {
    let id: ItemID
    let demuxer: any Demuxer
    /// The number of the choice of tracks; see `MediaItem.choice`.
    let choice: UInt64
    /// The tracks that were chosen. Criteria of the player change them without another `choice`.
    let tracks: [TrackChoice]
    /// The newest fault that a stage reported. Stages write it from their lanes.
    let newestFault: Locked<MediaError?>
    /// The item times at which playback ends in either direction.
    var ends: ItemEnds
    /// The adaptation to the network's throughput, or nil if the variant does not adapt.
    var adaptation: AdaptiveBitRate?
    /// The tracks of the item that are to be avoided.
    var failures = TrackFailures()
    /// The time at which opening began, or at which the item became current.
    var openedAt: HostTime
    /// The call that opens the item. It is nil once the item is open.
    var opening: ResumableCall?
    /// The pipeline. It is nil until the container is open, and if it could not be opened.
    private(set) var pipeline: ItemPipeline?
    var epoch: ItemEpoch
    var buffer = BufferMonitor()
    var reading = ReadingMonitor()
    /// The duration and the end of the data that were compared last.
    var checkedDuration: (duration: MediaTime, end: MediaTime)?
    /// A Boolean value that indicates whether the first frames of every track are decoded.
    private(set) var isReady = false
    /// A Boolean value that indicates whether the item has delivered a frame. Without one, the end of the data is a
    /// failure.
    var hasFrames = false
    /// A Boolean value that indicates whether observers know that the item is current. Its bytes and faults are
    /// counted from then on.
    var isVisibleToObservers = false
    /// The number of faults that were reported before the item became visible to observers.
    var faultsBeforeVisible = 0

    init(id: ItemID, item: MediaItem, demuxer: any Demuxer, epoch: ItemEpoch, at host: HostTime) {
        self.id = id
        self.demuxer = demuxer
        choice = item.choice
        tracks = [item.video, item.audio]
        self.epoch = epoch
        newestFault = Locked(nil)
        ends = ItemEnds(of: item)
        openedAt = host
    }

    var start: EpochStart { epoch.start }
    /// The item time at which the epoch is expected to begin.
    var expectedStart: ItemTime {
        guard let pipeline else { return ItemTime(start.firstWanted ?? start.demuxTarget) ?? .zero }
        return pipeline.expectedStart(of: start)
    }

    /// Applies the settings after the container has been opened. `item` contains the ends, and
    /// `forwardBufferDuration` is the current setting.
    mutating func didOpen(_ pipeline: ItemPipeline, _ item: MediaItem, forwardBufferDuration: Int64?) {
        self.pipeline = pipeline
        opening = nil
        epoch.didOpen(at: pipeline.firstStart)
        ends = ItemEnds(of: item)
        buffer = BufferMonitor(rules: pipeline.rules)
        pipeline.setEndTime(item.forwardEnd)
        pipeline.setReverseEnd(item.reverseEnd)
        pipeline.setForwardBufferDuration(forwardBufferDuration)
        pipeline.setPacketShare(item.packetShare)
    }

    /// Updates `isReady`, and returns true once: as soon as every track has its first frame, or has none although the
    /// read-ahead limits are reached.
    mutating func updateReadiness() -> Bool {
        guard !isReady, let pipeline, pipeline.isReady(start.epoch) else { return false }
        isReady = true
        return true
    }

    /// Begins a new epoch in the stages. The state of the old one is replaced as a whole.
    mutating func begin(_ epoch: ItemEpoch) {
        self.epoch = epoch
        isReady = false
        // A file delivers on demand, but data on a network has to arrive first.
        if let pipeline, !pipeline.description.isLocal, !epoch.start.isReverse,
            !pipeline.holds(epoch.start.demuxTarget ?? .zero)
        {
            buffer.restart()
        }
        pipeline?.begin(epoch.start)
    }

    /// Cancels blocking calls and releases the stages on their own lane. Returns at once.
    func close() {
        demuxer.cancel()
        opening?.stop()
        pipeline?.cancel()
        pipeline?.releaseOnItsLane()
    }
}
