import MediaCore
import PlayheadBackend

/// The state of one epoch of an open item. A seek replaces the whole value.
struct ItemEpoch {
    var start: EpochStart
    /// The earlier positions to search at if the first frames follow the requested time.
    var retry: SeekRetry
    /// A Boolean value that indicates whether the first frame is on its way to the sinks or has reached them.
    var hasPresented = false
    /// A Boolean value that indicates whether the epoch began at the frame that is shown, with a change of direction or
    /// because audio is delivered again. That frame is not shown again.
    var keepsPosition = false
    var steps = Steps()

    init(start: EpochStart, retry: SeekRetry) {
        self.start = start
        self.retry = retry
    }

    /// Creates the epoch in which an item begins without a seek.
    init(of item: MediaItem, epoch: Epoch) {
        start = EpochStart(
            epoch: epoch,
            firstWanted: item.start,
            demuxTarget: item.start,
            isLastAttempt: item.start == nil
        )
        retry = item.start.map { SeekRetry(target: $0) } ?? SeekRetry()
    }

    /// Replaces the start by that of the pipeline, which may be one that the presentation prefers.
    mutating func didOpen(at opened: EpochStart) {
        if let target = opened.firstWanted, start.firstWanted == nil { retry = SeekRetry(target: target) }
        start = opened
    }

    /// Returns the same search from an earlier position, or nil if there is none.
    func earlier(in epoch: Epoch) -> ItemEpoch? {
        var retry = retry
        guard let target = retry.next() else { return nil }
        var start = start
        start.epoch = epoch
        start.demuxTarget = target
        start.isLastAttempt = target <= .zero
        var earlier = ItemEpoch(start: start, retry: retry)
        earlier.keepsPosition = keepsPosition
        earlier.steps = steps
        return earlier
    }
}

extension EpochStart {
    /// Returns the start of an item that is open: that which the presentation prefers, if the item has none of its own
    /// and does not end before it.
    func opened(_ item: MediaItem, _ description: MediaDescription) -> EpochStart {
        guard demuxTarget == nil else { return self }
        var start = self
        let preferred = description.preciseStart ?? description.joinTime ?? .zero
        if item.beginsAtPreferredStart, item.forwardEnd.map({ preferred < $0 }) ?? true {
            start.firstWanted = description.preciseStart
            start.demuxTarget = description.preciseStart
            start.isLastAttempt = description.preciseStart == nil
        } else if description.joinTime != nil, description.isSeekable {
            // Reading would begin at the preferred start.
            start.demuxTarget = .zero
        }
        return start
    }
}
