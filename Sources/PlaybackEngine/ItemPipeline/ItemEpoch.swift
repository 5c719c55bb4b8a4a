import MediaCore
import PlayheadBackend

/// What belongs to one epoch of an open item. A seek replaces it whole.
struct ItemEpoch {
    var start: EpochStart
    /// Where to look next, should the first frames lie behind the wanted time.
    var retry: SeekRetry
    /// The first frame is on its way to the sinks, or has reached them.
    var hasPresented = false
    /// The epoch began with a change of direction: the frame being shown is not shown again.
    var changesDirection = false
    var steps = Steps()

    init(start: EpochStart, retry: SeekRetry) {
        self.start = start
        self.retry = retry
    }

    /// The epoch in which an item begins by itself.
    init(of item: MediaItem, epoch: Epoch) {
        start = EpochStart(
            epoch: epoch,
            firstWanted: item.start,
            demuxTarget: item.start,
            isLastAttempt: item.start == nil
        )
        retry = item.start.map { SeekRetry(target: $0) } ?? SeekRetry()
    }

    /// The same search from an earlier place; nil: there is none. `epoch` is asked only where there is one.
    func earlier(_ epoch: () -> Epoch) -> ItemEpoch? {
        var retry = retry
        guard let target = retry.next() else { return nil }
        var start = start
        start.epoch = epoch()
        start.demuxTarget = target
        start.isLastAttempt = target <= .zero
        var earlier = ItemEpoch(start: start, retry: retry)
        earlier.changesDirection = changesDirection
        earlier.steps = steps
        return earlier
    }
}
