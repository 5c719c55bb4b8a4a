import MediaCore

/// The state of the item that follows the current one and is opened ahead of need.
struct PreparedState: Hashable, Sendable {
    let id: ItemID
    var epoch: Epoch
    var isOpen = false
    var duration: MediaTime = .indefinite
    var canPlayReverse = false
    /// A Boolean value that indicates whether the first frames are decoded, so that the item can follow without a
    /// gap.
    var isReady = false
}

/// The queue of items that follow the current one.
extension PlaybackState {
    mutating func insert(_ id: ItemID, after other: ItemID?, _ actions: inout [PlaybackAction]) {
        guard item?.id != id, !upcoming.contains(id), interstitial?.primary?.item.id != id,
            pendingInterstitial?.ready.id != id
        else { return }
        if let other {
            // The other item may have been played since the caller saw it; then the new item is next.
            let index = upcoming.firstIndex(of: other).map { $0 + 1 } ?? 0
            upcoming.insert(id, at: index)
        } else {
            upcoming.append(id)
        }
        // If there is no current item, the first item of the queue becomes current. An item that failed is skipped.
        if item == nil || hasFailedInQueue { advance(isSeamless: false, &actions) }
    }

    /// A Boolean value that indicates whether the current item failed, or ended early, and the queue advances. An
    /// item that is inserted later replaces it.
    var hasFailedInQueue: Bool { item?.hasFailed == true && endAction == .advance }

    mutating func remove(_ id: ItemID, _ actions: inout [PlaybackAction]) {
        if item?.id == id { return advance(isSeamless: false, &actions) }
        if pendingInterstitial?.ready.id == id { return cancelPendingInterstitial(&actions) }
        if interstitial?.primary?.item.id == id { return removePrimary(replacedBy: item?.id, &actions) }
        guard let index = upcoming.firstIndex(of: id) else { return }
        upcoming.remove(at: index)
        actions.append(.forget(id))
    }

    mutating func removeUpcoming(_ actions: inout [PlaybackAction]) {
        for id in upcoming { actions.append(.forget(id)) }
        upcoming = []
    }

    /// Makes the next item the current one, or none after the last. The rate is not changed.
    mutating func advance(isSeamless: Bool, _ actions: inout [PlaybackAction]) {
        if interstitial != nil { return endInterstitial(isSeamless: isSeamless, &actions) }
        // The rate that was requested of an item that failed applies to its successor.
        if case .failure(let requestedRate) = withheldRate {
            withheldRate = .none
            if item?.hasFailed == true { restoreRate(requestedRate) }
        }
        guard !upcoming.isEmpty else { return setItem(nil, &actions) }
        let next = upcoming.removeFirst()
        guard let old = item, let ready = prepared, ready.id == next else { return setItem(next, &actions) }
        completePendingSeeks(of: old, &actions)
        reportEarlyEnd(of: old, replacedBy: next, &actions)
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
        switchItem(.cancelled, &actions)
        item = state
        actions.append(.takeOver(next, from: old.id, isSeamless: follows))
        actions.append(.setLooping(repeatSetting == .loop))
    }

    /// Opens the next item as soon as the current one has been read to its end, so that it can follow without a gap.
    mutating func prepareNext(_ actions: inout [PlaybackAction]) {
        let next = upcoming.first
        if let old = prepared, old.id != next || item == nil {
            prepared = nil
            actions.append(.discard(old.id))
        }
        guard prepared == nil, let next, let item, item.isReadToEnd, endAction == .advance else { return }
        guard repeatSetting == .once, interstitial?.primary == nil else { return }
        let ready = PreparedState(id: next, epoch: makeEpoch())
        prepared = ready
        actions.append(.prepare(next, ready.epoch))
    }

    /// A Boolean value that indicates whether the prepared item follows the current one without a gap.
    var followsSeamlessly: Bool {
        endAction == .advance && repeatSetting == .once && prepared?.isReady == true
            && prepared?.id == upcoming.first && interstitial?.primary == nil
    }

    mutating func preparedOpened(_ id: ItemID, _ duration: MediaTime) {
        if pendingInterstitial?.ready.id == id {
            pendingInterstitial?.ready.isOpen = true
            pendingInterstitial?.ready.duration = duration
        }
        guard prepared?.id == id else { return }
        prepared?.isOpen = true
        prepared?.duration = duration
    }

    mutating func preparedReady(_ id: ItemID, _ actions: inout [PlaybackAction]) {
        if pendingInterstitial?.ready.id == id { return beginInterstitial(&actions) }
        guard prepared?.id == id else { return }
        prepared?.isReady = true
    }

    mutating func prepareAgain(_ id: ItemID, _ actions: inout [PlaybackAction]) {
        if pendingInterstitial?.ready.id == id { return prepareInterstitialAgain(&actions) }
        guard prepared?.id == id else { return }
        prepared = nil
        actions.append(.discard(id))
    }

    /// Reports that an item of the queue cannot be played, and removes it from the queue.
    mutating func upcomingFailed(_ id: ItemID, _ error: MediaError, _ actions: inout [PlaybackAction]) {
        if pendingInterstitial?.ready.id == id { return pendingInterstitialFailed(error, &actions) }
        guard prepared?.id == id else { return }
        prepared = nil
        upcoming.removeAll { $0 == id }
        actions.append(.discard(id))
        actions.append(.forget(id))
        actions.append(.post(.itemFailed(id, error)))
    }

    /// Returns a new epoch. An epoch is never reused, so data of different epochs cannot be confused.
    mutating func makeEpoch() -> Epoch {
        newestEpoch = newestEpoch.next
        return newestEpoch
    }
}

extension BufferLevel {
    /// The level after a seamless transition: frames are available, and the next update measures how full the buffer
    /// is.
    static let afterSeam = BufferLevel(isEmpty: false, isLikelyToKeepUp: true, isFull: false)
}
