import MediaCore

/// Interstitials: an item is opened while the current one plays, interrupts it as soon as its first frames are decoded,
/// and is followed by the interrupted item at the position, rate and state that it had.
///
/// Interstitials do not nest. Another one replaces the one that plays, and the same item is continued after it: at most
/// one item is suspended, so memory is bounded, and what was requested last is played first.
extension PlaybackState {
    /// A Boolean value that indicates whether the current item restarts at its end. An interstitial is played once.
    package var loopsItem: Bool { repeatSetting == .loop && interstitial == nil }

    mutating func interrupt(_ id: ItemID, _ rate: Float, _ actions: inout [PlaybackAction]) {
        guard item?.id != id, interstitial?.primary?.item.id != id else { return }
        cancelPendingInterstitial(&actions)
        if prepared?.id == id {
            prepared = nil
            actions.append(.discard(id))
        }
        upcoming.removeAll { $0 == id }
        pendInterstitial(id, rate, &actions)
    }

    private mutating func pendInterstitial(_ id: ItemID, _ rate: Float, _ actions: inout [PlaybackAction]) {
        let pending = PendingInterstitial(ready: PreparedState(id: id, epoch: makeEpoch()), rate: rate)
        pendingInterstitial = pending
        actions.append(.prepareInterstitial(id, pending.ready.epoch))
    }

    /// Closes the item that was to interrupt the current one. Does nothing if there is none.
    mutating func cancelPendingInterstitial(_ actions: inout [PlaybackAction]) {
        guard let pending = pendingInterstitial else { return }
        pendingInterstitial = nil
        actions.append(.discard(pending.ready.id))
        actions.append(.forget(pending.ready.id))
    }

    /// Opens the pending interstitial again, because its settings have changed.
    mutating func prepareInterstitialAgain(_ actions: inout [PlaybackAction]) {
        guard let pending = pendingInterstitial else { return }
        actions.append(.discard(pending.ready.id))
        pendInterstitial(pending.ready.id, pending.rate, &actions)
    }

    /// Removes the pending interstitial, which cannot be opened. The current item is not affected.
    mutating func pendingInterstitialFailed(_ error: MediaError, _ actions: inout [PlaybackAction]) {
        guard let id = pendingInterstitial?.ready.id else { return }
        cancelPendingInterstitial(&actions)
        actions.append(.post(.itemFailed(id, error)))
    }

    /// Makes the pending interstitial the current item. The interrupted one stays open.
    mutating func beginInterstitial(_ actions: inout [PlaybackAction]) {
        guard let pending = pendingInterstitial, pending.ready.isOpen else { return }
        pendingInterstitial = nil
        switchItem(.cancelled, &actions)
        let follows = timelineRate != 0 && timelineRate == pending.rate && !isReverse
        if !follows { stopTimeline(&actions) }
        let (ready, old) = (pending.ready, item)
        if interstitial != nil {
            if let old {
                completePendingSeeks(of: old, &actions)
                reportEarlyEnd(of: old, replacedBy: ready.id, &actions)
            }
            interstitial?.id = ready.id
        } else {
            let primary = old.map {
                InterstitialState.Primary(
                    item: $0,
                    epoch: epoch,
                    isReverse: isReverse,
                    inFlightSeekIsAnswered: inFlightSeekIsAnswered,
                    silentEpoch: silentEpoch
                )
            }
            interstitial = InterstitialState(
                id: ready.id,
                primary: primary,
                rate: rate,
                withheldRate: withheldRate
            )
        }
        epoch = ready.epoch
        inFlightSeekIsAnswered = false
        isReverse = false
        silentEpoch = nil
        var state = ItemState(id: ready.id)
        state.status = .readyToPlay
        state.duration = ready.duration
        state.canPlayReverse = ready.canPlayReverse
        if follows {
            state.hasFirstFrame = true
            state.level = .afterSeam
        }
        item = state
        if status == .unknown { status = .readyToPlay }
        setRateOfInterstitial(pending.rate)
        actions.append(.beginInterstitial(ready.id, isSeamless: follows))
    }

    private mutating func setRateOfInterstitial(_ newRate: Float) {
        rate = 0
        withheldRate = .none
        startsAtOnce = false
        restoreRate(newRate)
    }

    /// Ends the interstitial, and continues the item that it interrupted. Without one, the queue advances: without a gap
    /// if `isSeamless` is true, which requires that the interstitial was played to its end.
    mutating func endInterstitial(isSeamless: Bool, _ actions: inout [PlaybackAction]) {
        guard let ending = interstitial, let old = item else { return }
        interstitial = nil
        // A pause by the user lasts.
        let isPaused = requestedRate == nil
        guard let primary = ending.primary else {
            advance(isSeamless: isSeamless, &actions)
            return restoreRate(of: ending, isPaused: isPaused)
        }
        completePendingSeeks(of: old, &actions)
        reportEarlyEnd(of: old, replacedBy: primary.item.id, &actions)
        switchItem(.cancelled, &actions)
        let follows =
            !isPaused && timelineRate != 0 && ending.rate == timelineRate && primary.isRunnable
            && !isScrubbing
        if !follows { stopTimeline(&actions) }
        item = primary.item
        epoch = primary.epoch
        isReverse = primary.isReverse
        inFlightSeekIsAnswered = primary.inFlightSeekIsAnswered
        silentEpoch = primary.silentEpoch
        restoreRate(of: ending, isPaused: isPaused)
        actions.append(.endInterstitial(primary.item.id, from: old.id, makeEpoch(), isSeamless: follows))
        actions.append(.setLooping(repeatSetting == .loop))
        // The action at the end, or the queue, may have changed.
        if item?.hasEnded == true || item?.hasFailed == true { setEndAction(endAction, &actions) }
    }

    private mutating func restoreRate(of ending: InterstitialState, isPaused: Bool) {
        rate = 0
        withheldRate = .none
        startsAtOnce = false
        guard !isPaused else { return }
        if ending.rate != 0 { return restoreRate(ending.rate) }
        switch ending.withheldRate {
        case .none: break
        case .failure(let rate): withheldRate = .failure(rate)
        case .interruption(let rate):
            if isInterrupted || resumesAfterInterruption { restoreRate(rate) }
        case .stall(let rate):
            if isInterrupted {
                restoreRate(rate)
            } else if resumesAfterStall {
                withheldRate = .stall(rate)
            }
        case .end(let rate):
            if isInterrupted {
                restoreRate(rate)
            } else if item?.hasEnded == true {
                withheldRate = .end(rate)
            } else {
                self.rate = rate
            }
        }
    }

    /// Removes the interrupted item. The interstitial plays on, and the queue follows it.
    mutating func removePrimary(replacedBy next: ItemID?, _ actions: inout [PlaybackAction]) {
        guard let primary = interstitial?.primary else { return }
        interstitial?.primary = nil
        completePendingSeeks(of: primary, &actions)
        reportEarlyEnd(of: primary.item, replacedBy: next, &actions)
        actions.append(.closePrimary(primary.item.id))
    }

    /// Cancels the seeks of the interrupted item. The seek in flight is still performed when the item continues.
    mutating func cancelSeeksOfPrimary(_ actions: inout [PlaybackAction]) {
        guard let primary = interstitial?.primary else { return }
        completePendingSeeks(of: primary, &actions)
        interstitial?.primary?.item.seekWaiting = nil
        interstitial?.primary?.inFlightSeekIsAnswered = primary.item.seekInFlight != nil
    }

    private func completePendingSeeks(
        of primary: InterstitialState.Primary,
        _ actions: inout [PlaybackAction]
    ) {
        let inFlight = primary.inFlightSeekIsAnswered ? nil : primary.item.seekInFlight
        for request in [inFlight, primary.item.seekWaiting].compactMap(\.self) {
            actions.append(.completeSeek(request.id, finished: false))
        }
    }

    /// Handles the replacement of the current item, an interstitial, by another item.
    ///
    /// - Returns: True if the other item is the interrupted one, which then continues.
    mutating func leaveInterstitial(for id: ItemID?, _ actions: inout [PlaybackAction]) -> Bool {
        if let id, pendingInterstitial?.ready.id == id {
            pendingInterstitial = nil
            actions.append(.discard(id))
        }
        guard let interstitial else { return false }
        if let id, interstitial.primary?.item.id == id {
            endInterstitial(isSeamless: false, &actions)
            return true
        }
        removePrimary(replacedBy: id, &actions)
        self.interstitial = nil
        return false
    }
}

extension InterstitialState.Primary {
    /// A Boolean value that indicates whether playback can continue at once: the item has frames and was not stalled, at
    /// its end, or elsewhere.
    fileprivate var isRunnable: Bool {
        item.status == .readyToPlay && item.hasFirstFrame && !item.isStalled && !item.hasEnded
            && !item.isSeeking && !item.hasPendingSteps && !item.level.isEmpty && !isReverse
            && silentEpoch == nil
    }
}
