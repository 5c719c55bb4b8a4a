import MediaCore

/// What the state knows of the item behind the current one, which is opened ahead of need.
struct PreparedState: Hashable, Sendable {
    let id: ItemID
    var epoch: Epoch
    var isOpen = false
    var duration: MediaTime = .indefinite
    var canPlayReverse = false
    /// Its first frames lie decoded, so that it can follow without a gap.
    var isReady = false
}

/// The items behind the current one.
extension PlaybackState {
    mutating func insert(_ id: ItemID, after other: ItemID?, _ actions: inout [PlaybackAction]) {
        guard item?.id != id, !upcoming.contains(id) else { return }
        if let other {
            // An item that was there when the caller looked may have been played since: then this one is next.
            let index = upcoming.firstIndex(of: other).map { $0 + 1 } ?? 0
            upcoming.insert(id, at: index)
        } else {
            upcoming.append(id)
        }
        // Nothing is current: what comes first is, which may have waited there. One that cannot be played is skipped.
        if item == nil || hasFailedInQueue { advance(isSeamless: false, &actions) }
    }

    /// Nothing followed an item that could not be played, or not to its end. What comes later does.
    var hasFailedInQueue: Bool { item?.hasFailed == true && endAction == .advance }

    mutating func remove(_ id: ItemID, _ actions: inout [PlaybackAction]) {
        if item?.id == id { return advance(isSeamless: false, &actions) }
        guard let index = upcoming.firstIndex(of: id) else { return }
        upcoming.remove(at: index)
        actions.append(.forget(id))
    }

    mutating func removeUpcoming(_ actions: inout [PlaybackAction]) {
        for id in upcoming { actions.append(.forget(id)) }
        upcoming = []
    }

    /// To the next item, or to none behind the last. The rate is left as it is.
    mutating func advance(isSeamless: Bool, _ actions: inout [PlaybackAction]) {
        // What was wanted of an item that could not be played is wanted of the one behind it.
        if item?.hasFailed == true, let rateBeforeFailure { takeUp(rateBeforeFailure) }
        rateBeforeFailure = nil
        guard !upcoming.isEmpty else { return setItem(nil, &actions) }
        let next = upcoming.removeFirst()
        guard let old = item, let ready = prepared, ready.id == next else { return setItem(next, &actions) }
        answerSeeks(of: old, &actions)
        abandon(old, for: next, &actions)
        prepared = nil
        epoch = ready.epoch
        inFlightSeekIsAnswered = false
        isReverse = false
        var state = ItemState(id: next)
        if ready.isOpen {
            state.status = .readyToPlay
            state.duration = ready.duration
            state.canPlayReverse = ready.canPlayReverse
        }
        let follows = isSeamless && ready.isReady && timelineRate != 0
        if follows {
            state.hasFirstFrame = true
            state.level = .afterSeam
        } else {
            stopTimeline(&actions)
        }
        item = state
        actions.append(.takeOver(next, from: old.id, isSeamless: follows))
        actions.append(.setLooping(repeatSetting == .loop))
    }

    /// Opens the next item as soon as the current one is read to its end, so that it follows without a gap.
    mutating func prepareNext(_ actions: inout [PlaybackAction]) {
        let next = upcoming.first
        if let old = prepared, old.id != next || item == nil {
            prepared = nil
            actions.append(.discard(old.id))
        }
        guard prepared == nil, let next, let item, item.isReadToEnd, endAction == .advance else { return }
        guard repeatSetting == .once else { return }
        let ready = PreparedState(id: next, epoch: makeEpoch())
        prepared = ready
        actions.append(.prepare(next, ready.epoch))
    }

    /// At its end the current item is followed by the one that is prepared, without a gap.
    var followsSeamlessly: Bool {
        endAction == .advance && repeatSetting == .once && prepared?.isReady == true
            && prepared?.id == upcoming.first
    }

    mutating func preparedOpened(_ id: ItemID, _ duration: MediaTime) {
        guard prepared?.id == id else { return }
        prepared?.isOpen = true
        prepared?.duration = duration
    }

    mutating func preparedReady(_ id: ItemID) {
        guard prepared?.id == id else { return }
        prepared?.isReady = true
    }

    /// Its first frames are looked for at another place.
    mutating func replacePreparedEpoch() -> Epoch {
        let epoch = makeEpoch()
        prepared?.epoch = epoch
        return epoch
    }

    mutating func prepareAgain(_ id: ItemID, _ actions: inout [PlaybackAction]) {
        guard prepared?.id == id else { return }
        prepared = nil
        actions.append(.discard(id))
    }

    /// An item in the queue cannot be played: it is told of and skipped.
    mutating func upcomingFailed(_ id: ItemID, _ error: MediaError, _ actions: inout [PlaybackAction]) {
        guard prepared?.id == id else { return }
        prepared = nil
        upcoming.removeAll { $0 == id }
        actions.append(.discard(id))
        actions.append(.forget(id))
        actions.append(.post(.itemFailed(id, error)))
    }

    /// The current item goes on with frames of an epoch that was made for them.
    mutating func adopt(_ epoch: Epoch) {
        self.epoch = epoch
        item?.isReadToEnd = false
    }

    /// What belongs to the epoch so far is stale.
    mutating func replaceEpoch() { epoch = makeEpoch() }

    /// Never the same twice, so that what belongs to one epoch cannot be taken for another's.
    mutating func makeEpoch() -> Epoch {
        newestEpoch = newestEpoch.next
        return newestEpoch
    }
}

extension BufferLevel {
    /// Behind a seam frames are at hand; how full the buffer is shows at the next look.
    static let afterSeam = BufferLevel(isEmpty: false, isLikelyToKeepUp: true, isFull: false)
}
