import MediaCore

/// Ends, loops and stalls.
extension PlaybackState {
    private func post(playedToEnd id: ItemID, at time: MediaTime, _ actions: inout [PlaybackAction]) {
        actions.append(.post(.playedToEnd(id, at: time)))
        actions.append(.post(.passEnded(id, .playedToEnd)))
    }

    private func post(
        failedToPlayToEnd id: ItemID,
        _ error: MediaError,
        _ actions: inout [PlaybackAction]
    ) {
        actions.append(.post(.failedToPlayToEnd(id, error)))
        actions.append(.post(.passEnded(id, .failed(error))))
    }

    /// Reports the outcome of a pass whose item is removed before the pass has ended.
    func reportEarlyEnd(of item: ItemState, replacedBy next: ItemID?, _ actions: inout [PlaybackAction]) {
        guard !item.hasEnded, item.status != .failed else { return }
        actions.append(.post(.passEnded(item.id, next == nil ? .stopped : .replaced)))
    }

    mutating func setRepeat(_ setting: RepeatMode, _ actions: inout [PlaybackAction]) {
        guard setting != repeatSetting else { return }
        repeatSetting = setting
        if item != nil, interstitial == nil { actions.append(.setLooping(setting == .loop)) }
        if case .end(let requestedRate) = withheldRate { setRate(requestedRate, &actions) }
    }

    mutating func reachedEnd(
        _ epoch: Epoch,
        _ time: MediaTime,
        _ error: MediaError?,
        _ actions: inout [PlaybackAction]
    ) {
        guard epoch == self.epoch, let item, item.hasFirstFrame, !item.hasEnded, timelineRate != 0 else {
            return
        }
        if let error { return endInFailure(item.id, error, &actions) }
        let length = isReverse ? item.duration - time : time
        self.item?.passIsTooShortToLoop = length.isNumeric && length < Self.minimumLoopDuration
        if loopsItem, length.isNumeric, length >= Self.minimumLoopDuration {
            post(playedToEnd: item.id, at: time, &actions)
            if isReverse { return restartPass(&actions) }
            actions.append(.beginNextPass)
            actions.append(.post(.timeJumped(item.id, to: .zero)))
            return
        }
        endOfPass(item.id, at: time, &actions)
    }

    /// The minimum duration of a pass that is looped: 1 ms. A shorter pass would repeat indefinitely without showing
    /// anything, so it ends as if it were played once.
    private static let minimumLoopDuration = MediaTime(value: 1, timescale: 1000)

    /// Ends the pass because the data ended before the media did. A pass has one outcome, and this one is not "played
    /// to end".
    mutating func endInFailure(_ id: ItemID, _ error: MediaError, _ actions: inout [PlaybackAction]) {
        item?.hasEnded = true
        item?.endError = error
        if interstitial != nil || endAction == .advance && !upcoming.isEmpty {
            post(failedToPlayToEnd: id, error, &actions)
            return advance(isSeamless: true, &actions)
        }
        stopTimeline(&actions)
        post(failedToPlayToEnd: id, error, &actions)
        rateReason = .itemFailed
        clearRateAfterFailure()
    }

    /// Ends the pass after its last frame has been shown. Its report precedes the change of rate.
    mutating func endOfPass(_ id: ItemID, at time: MediaTime, _ actions: inout [PlaybackAction]) {
        item?.hasEnded = true
        if interstitial != nil || endAction == .advance {
            post(playedToEnd: id, at: time, &actions)
            return advance(isSeamless: true, &actions)
        }
        if endAction != .none { stopTimeline(&actions) }
        post(playedToEnd: id, at: time, &actions)
        guard endAction != .none else { return }
        rateReason = .itemEnded
        rate = 0
    }

    /// Requests that the end is reported again, because no data is left in this direction; AVPlayer does the same.
    ///
    /// The end is not reported immediately: a caller that plays in the handler of an end may seek next, and a caller
    /// that plays at every end would be called without a pause.
    mutating func playFromEnd(_ item: ItemState) {
        // Under `.none` time continues past the end.
        guard endAction != .none || item.endError != nil else { return }
        withheldRate = .end(rate)
        rate = 0
        startsAtOnce = false
    }

    mutating func endRepeated(_ epoch: Epoch, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, awaitsRepeatedEnd, let item else { return }
        restoreRateAtEnd()
        if let error = item.endError {
            endInFailure(item.id, error, &actions)
        } else {
            endOfPass(item.id, at: isReverse ? .zero : item.duration, &actions)
        }
    }

    /// Restores the rate that was requested at the end if the current item is not at its end. An item that continues
    /// after an interstitial may be there still.
    mutating func restoreRateIfNotAtEnd() {
        if item?.hasEnded != true { restoreRateAtEnd() }
    }

    /// Makes the rate that was requested at the end the current rate. Does nothing if none was requested.
    mutating func restoreRateAtEnd() {
        guard case .end(let requestedRate) = withheldRate else { return }
        withheldRate = .none
        rate = requestedRate
    }

    /// Sets the action at the item's end. If time has continued past the end under `.none`, the new action is applied
    /// immediately.
    mutating func setEndAction(_ action: ActionAtItemEnd, _ actions: inout [PlaybackAction]) {
        endAction = action
        if action != .pause, item?.endError == nil { restoreRateAtEnd() }
        if hasFailedInQueue, !upcoming.isEmpty { return advance(isSeamless: false, &actions) }
        guard action != .none, item?.hasEnded == true, rate != 0 else { return }
        if action == .advance { return advance(isSeamless: false, &actions) }
        rateReason = .itemEnded
        rate = 0
    }

    /// Plays the item from its start again by seeking. It is used if the next pass was not read in advance.
    mutating func restartPass(_ actions: inout [PlaybackAction]) {
        let request = SeekRequest(id: SeekID(0), target: isReverse ? .positiveInfinity : .zero)
        startSeek(request, &actions)
        inFlightSeekIsAnswered = true
    }

    mutating func bufferChanged(_ id: ItemID, _ level: BufferLevel) {
        guard item?.id == id, item?.status == .readyToPlay else { return }
        item?.level = level
        guard item?.isStalled == true, level.isLikelyToKeepUp || level.isFull, !level.isEmpty else { return }
        item?.isStalled = false
    }

    /// Restores the rate that a stall took away, once the item has data, can keep up, and the user has not paused. It
    /// does not matter whether the data arrived, the user sought elsewhere, or another item became current.
    mutating func resumeAfterStall() {
        guard case .stall(let requestedRate) = withheldRate, let item, !item.isStalled,
            item.status == .readyToPlay, item.hasFirstFrame, !item.isSeeking, !item.hasEnded
        else { return }
        guard !item.level.isEmpty, item.level.isLikelyToKeepUp || item.level.isFull else { return }
        withheldRate = .none
        rateReason = .resumedAfterStall
        rate = requestedRate
    }

    mutating func underrun(_ epoch: Epoch, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, let item, timelineRate != 0, !item.isStalled else { return }
        // Past the end under `.none` no data is expected.
        if item.hasEnded { return }
        self.item?.isStalled = true
        self.item?.level.isEmpty = true
        self.item?.level.isLikelyToKeepUp = false
        self.item?.level.isFull = false
        stopTimeline(&actions)
        actions.append(.post(.playbackStalled(item.id)))
        guard !waitsToMinimizeStalling else { return }
        rateReason = .stalled
        if resumesAfterStall { withheldRate = .stall(rate) }
        rate = 0
    }
}
