import MediaCore

/// Ends, loops, stalls.
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

    /// The item leaves before its pass has ended.
    func abandon(_ item: ItemState, for next: ItemID?, _ actions: inout [PlaybackAction]) {
        guard !item.hasEnded, item.status != .failed else { return }
        actions.append(.post(.passEnded(item.id, next == nil ? .stopped : .replaced)))
    }

    mutating func setRepeat(_ setting: RepeatMode, _ actions: inout [PlaybackAction]) {
        guard setting != repeatSetting else { return }
        repeatSetting = setting
        if item != nil { actions.append(.setLooping(setting == .loop)) }
        if let rateAtEnd { setRate(rateAtEnd, &actions) }
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
        self.item?.lapIsTooShort = length.isNumeric && length < Self.shortestLap
        if repeatSetting == .loop, length.isNumeric, length >= Self.shortestLap {
            post(playedToEnd: item.id, at: time, &actions)
            if isReverse { return restartPass(&actions) }
            actions.append(.beginNextPass)
            actions.append(.post(.timeJumped(item.id, to: .zero)))
            return
        }
        endOfPass(item.id, at: time, &actions)
    }

    /// A millisecond. What is shorter would go round for ever and show nothing; it ends as if played once.
    private static let shortestLap = MediaTime(value: 1, timescale: 1000)

    /// The data ended before the media did: one outcome per pass, and it is not "played to end".
    mutating func endInFailure(_ id: ItemID, _ error: MediaError, _ actions: inout [PlaybackAction]) {
        item?.hasEnded = true
        item?.endError = error
        if endAction == .advance, !upcoming.isEmpty {
            post(failedToPlayToEnd: id, error, &actions)
            return advance(isSeamless: true, &actions)
        }
        stopTimeline(&actions)
        post(failedToPlayToEnd: id, error, &actions)
        rateReason = .itemFailed
        clearRateAfterFailure()
    }

    /// The last frame has been shown; now the notice, then the rate.
    mutating func endOfPass(_ id: ItemID, at time: MediaTime, _ actions: inout [PlaybackAction]) {
        item?.hasEnded = true
        if endAction == .advance {
            post(playedToEnd: id, at: time, &actions)
            return advance(isSeamless: true, &actions)
        }
        if endAction != .none { stopTimeline(&actions) }
        post(playedToEnd: id, at: time, &actions)
        guard endAction != .none else { return }
        rateReason = .itemEnded
        rate = 0
    }

    /// No data is left in this direction, so the end is told once more, as AVPlayer does. Not at once: who asks for it
    /// in the handler of the end may seek next, and who asks for it at each end would hear of nothing else.
    mutating func playFromTheEnd(_ item: ItemState) {
        // Past the end under `.none` time goes on.
        guard endAction != .none || item.endError != nil else { return }
        rateAtEnd = rate
        rate = 0
        startsAtOnce = false
    }

    mutating func endRepeated(_ epoch: Epoch, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, rateAtEnd != nil, let item else { return }
        takeUpRateAtEnd()
        if let error = item.endError {
            endInFailure(item.id, error, &actions)
        } else {
            endOfPass(item.id, at: isReverse ? .zero : item.duration, &actions)
        }
    }

    /// It does not stand at the end any more, or something else is played.
    mutating func leaveEnd(since old: PlaybackState) {
        if item?.hasEnded != true || item?.id != old.item?.id { takeUpRateAtEnd() }
    }

    /// What was wanted at the end is the rate from now on; nothing where nothing was.
    mutating func takeUpRateAtEnd() {
        guard let wanted = rateAtEnd else { return }
        rateAtEnd = nil
        rate = wanted
    }

    /// It has ended no more, for there is something behind the end now. Playing on waits for that.
    mutating func endMoved(_ id: ItemID) {
        guard let item, item.id == id, item.status == .readyToPlay, item.hasEnded, !item.isMoving else {
            return
        }
        self.item?.hasEnded = false
        self.item?.endError = nil
        self.item?.awaitsFrames = true
    }

    mutating func framesCame(_ id: ItemID, isLost: Bool) {
        guard item?.id == id, item?.awaitsFrames == true else { return }
        item?.awaitsFrames = false
        if isLost { item?.hasEnded = true }
    }

    /// Past the end under `.none`, another action applies at once.
    mutating func setEndAction(_ action: ActionAtItemEnd, _ actions: inout [PlaybackAction]) {
        endAction = action
        if action != .pause, item?.endError == nil { takeUpRateAtEnd() }
        if hasFailedInQueue, !upcoming.isEmpty { return advance(isSeamless: false, &actions) }
        guard action != .none, item?.hasEnded == true, rate != 0 else { return }
        if action == .advance { return advance(isSeamless: false, &actions) }
        rateReason = .itemEnded
        rate = 0
    }

    /// Plays the item from its start again although nothing was prefetched.
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

    /// A stall took the rate. What plays now has data and can keep up, and nobody has paused in between: whether it
    /// was waited for, sought elsewhere, or another item has come.
    mutating func resumeAfterStall() {
        guard let wanted = rateBeforeStall, resumesAfterStall, rate == 0, let item, !item.isStalled,
            item.status == .readyToPlay, item.hasFirstFrame, !item.isMoving, !item.hasEnded
        else { return }
        guard !item.level.isEmpty, item.level.isLikelyToKeepUp || item.level.isFull else { return }
        rateBeforeStall = nil
        rateReason = .resumedAfterStall
        rate = wanted
    }

    mutating func starved(_ epoch: Epoch, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, let item, timelineRate != 0, !item.isStalled else { return }
        // Past the end under `.none` there is no data to wait for.
        if item.hasEnded { return }
        self.item?.isStalled = true
        self.item?.level.isEmpty = true
        self.item?.level.isLikelyToKeepUp = false
        self.item?.level.isFull = false
        stopTimeline(&actions)
        actions.append(.post(.playbackStalled(item.id)))
        guard !waitsToMinimizeStalling else { return }
        rateReason = .stalled
        rateBeforeStall = resumesAfterStall ? rate : nil
        rate = 0
    }
}
