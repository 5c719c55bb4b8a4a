import MediaCore

/// Seeks. A seek is accepted in every state, the latest one wins, at most one is in flight and one waits, and each
/// one completes exactly once.
extension PlaybackState {
    mutating func seek(_ request: SeekRequest, _ actions: inout [PlaybackAction]) {
        let isUsable =
            request.target.isNumeric || request.target == .positiveInfinity
            || request.target == .negativeInfinity
        // The intended item may have been played to its end in the meantime.
        guard let item, item.status != .failed, isUsable, request.item ?? item.id == item.id else {
            actions.append(.completeSeek(request.id, finished: false))
            return
        }
        self.item?.pendingSteps = 0
        if item.status == .unknown || item.seekInFlight != nil {
            // The seek in flight may show its frame, so that frames appear during a rapid sequence of seeks; unless
            // it waits for bytes (`seekWaitsForData`).
            if let waiting = item.seekWaiting {
                actions.append(.completeSeek(waiting.id, finished: false))
            }
            self.item?.seekWaiting = request
            if let inFlight = item.seekInFlight, !inFlightSeekIsAnswered {
                actions.append(.completeSeek(inFlight.id, finished: false))
                inFlightSeekIsAnswered = true
            }
            if item.hasPreview { startWaitingSeek(&actions) }
            return
        }
        startSeek(request, &actions)
    }

    mutating func cancelSeeks(_ id: ItemID, _ actions: inout [PlaybackAction]) {
        if interstitial?.primary?.item.id == id { return cancelSeeksOfPrimary(&actions) }
        guard let item, item.id == id else { return }
        if let waiting = item.seekWaiting {
            actions.append(.completeSeek(waiting.id, finished: false))
            self.item?.seekWaiting = nil
        }
        // The seek in flight is still performed, because the previous position is no longer available.
        if let inFlight = item.seekInFlight, !inFlightSeekIsAnswered {
            actions.append(.completeSeek(inFlight.id, finished: false))
            inFlightSeekIsAnswered = true
        }
    }

    mutating func startSeek(_ request: SeekRequest, _ actions: inout [PlaybackAction]) {
        var request = request
        request.target = clamped(request.target)
        epoch = makeEpoch()
        stopTimeline(&actions)
        restoreRateAtEnd()
        isReverse = rate < 0 && item?.canPlayReverse == true && !isScrubbing
        silentEpoch = isScrubbing ? epoch : nil
        item?.seekInFlight = request
        inFlightSeekIsAnswered = false
        item?.hasFirstFrame = false
        item?.hasPreview = false
        item?.hasEnded = false
        item?.endError = nil
        item?.isStalled = false
        item?.isReadToEnd = false
        item?.awaitsFrames = false
        item?.isStepping = false
        switchItem(.positionChanged, &actions)
        actions.append(.seek(epoch, request))
    }

    mutating func firstFramePresented(_ epoch: Epoch, _ time: MediaTime, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, item?.hasFirstFrame == false, item?.status == .readyToPlay else { return }
        item?.hasFirstFrame = true
        guard let id = item?.id, let request = item?.seekInFlight else { return beginSteps(&actions) }
        item?.seekInFlight = nil
        item?.hasPreview = false
        actions.append(.post(.timeJumped(id, to: time)))
        if !inFlightSeekIsAnswered { actions.append(.completeSeek(request.id, finished: true)) }
        if let waiting = item?.seekWaiting {
            item?.seekWaiting = nil
            startSeek(waiting, &actions)
        }
        beginSteps(&actions)
    }

    /// Replaces the seek in flight, which may wait indefinitely, by the newest one.
    mutating func seekWaitsForData(_ epoch: Epoch, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, let waiting = item?.seekWaiting, item?.status == .readyToPlay,
            item?.hasFirstFrame == false
        else { return }
        item?.seekWaiting = nil
        startSeek(waiting, &actions)
    }

    /// Returns a target that is not negative. A target beyond the duration is not changed, because a container may
    /// declare a duration that is too short; the seek then finds the last frame and the end of the data.
    private func clamped(_ target: MediaTime) -> MediaTime {
        let duration = item?.duration ?? .indefinite
        if target <= .zero { return .zero }
        guard duration.isNumeric else { return target.isNumeric ? target : .zero }
        return target.isNumeric ? target : duration + Self.maximumDurationError
    }

    /// The maximum amount by which a container's declared duration is expected to be too short.
    private static let maximumDurationError = MediaTime(value: 10, timescale: 1)
}
