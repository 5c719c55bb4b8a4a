import MediaCore
import PlayheadBackend

/// An item that is open, or is being opened: the current item, the next one of a queue, or the current one
/// opened again with other settings. Taking over is an assignment.
struct OpenItem {
    let id: ItemID
    let demuxer: any Demuxer
    /// See `MediaItem.choice`.
    let choice: UInt64
    /// The newest fault that a stage reported. Stages write it from their lanes.
    let newestFault: Locked<MediaError?>
    /// Where playing ends in either direction.
    var ends: ItemEnds
    /// Other tracks are wanted of the item, and not only another end: it is opened again for that. The same tracks
    /// chosen again are told of too.
    var selectsTracks = false
    /// Another variant is wanted, and it is opened again for that.
    var selectsVariant = false
    /// As the current item opened again: so many nanoseconds of item time ahead of what is delivered it is to take over.
    var switchLead: Int64 = 0
    /// nil: the variant does not follow the network's speed.
    var adaptation: AdaptiveBitRate?
    /// When opening began, or when the item became current.
    var openedAt: HostTime
    /// Opens it; nil from then on.
    var opening: ResumableCall?
    /// nil until the container is open, and where it could not be opened.
    private(set) var pipeline: ItemPipeline?
    var epoch: ItemEpoch
    var buffer = BufferMonitor()
    var reading = ReadingMonitor()
    /// What the duration was last compared with: itself, and where the data ends.
    var checkedDuration: (duration: MediaTime, end: MediaTime)?
    /// The first frames of every track are decoded.
    private(set) var isReady = false
    /// A frame of the item was seen. Without one, the end of the data is a failure.
    var hasFrames = false
    /// Observers know that the item is current: from here on its bytes and faults are counted.
    var isVisibleToObservers = false
    /// Faults that were reported before the item was announced.
    var faultsBeforeVisible = 0

    init(id: ItemID, item: MediaItem, demuxer: any Demuxer, epoch: ItemEpoch, at host: HostTime) {
        self.id = id
        self.demuxer = demuxer
        choice = item.choice
        self.epoch = epoch
        newestFault = Locked(nil)
        ends = ItemEnds(of: item)
        openedAt = host
    }

    var start: EpochStart { epoch.start }
    /// More is wanted of it than another end.
    var mustReload: Bool { selectsTracks || selectsVariant }

    /// The container is open. `item` says where it ends; `forwardBufferDuration` is what is set on it now.
    mutating func didOpen(_ pipeline: ItemPipeline, _ item: MediaItem, forwardBufferDuration: Int64?) {
        self.pipeline = pipeline
        opening = nil
        ends = ItemEnds(of: item)
        buffer = BufferMonitor(rules: pipeline.rules)
        pipeline.setEndTime(item.forwardEnd)
        pipeline.setReverseEnd(item.reverseEnd)
        pipeline.setForwardBufferDuration(forwardBufferDuration)
        pipeline.setPacketShare(item.packetShare)
    }

    /// True once: every track shows its first frame, or has none although all that may be read ahead was read.
    mutating func becomesReady() -> Bool {
        guard !isReady, let pipeline, pipeline.isReady(start.epoch) else { return false }
        isReady = true
        return true
    }

    /// Begins a new epoch in the stages. What belonged to the old one is replaced whole.
    mutating func begin(_ epoch: ItemEpoch) {
        self.epoch = epoch
        isReady = false
        // A file has what it is asked for. What comes over a network must come first.
        if let pipeline, !pipeline.description.isLocal, !epoch.start.isReverse,
            !pipeline.holds(epoch.start.demuxTarget ?? .zero)
        {
            buffer.restart()
        }
        pipeline?.begin(epoch.start)
    }

    /// Cancels what blocks and frees the stages on their own lane. Returns at once.
    func close() {
        demuxer.cancel()
        opening?.stop()
        pipeline?.cancel()
        pipeline?.releaseOnItsLane()
    }
}
