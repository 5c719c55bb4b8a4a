import MediaCore

/// Seeks: legal in every state, latest wins, at most one in flight and one waiting, each answered once.
extension PlaybackState {
    mutating func seek(_ request: SeekRequest, _ actions: inout [PlaybackAction]) {
        let isUsable =
            request.target.isNumeric || request.target == .positiveInfinity
            || request.target == .negativeInfinity
        // The item that was meant may have been played to its end since.
        guard let item, item.status != .failed, isUsable, request.item ?? item.id == item.id else {
            actions.append(.completeSeek(request.id, finished: false))
            return
        }
        self.item?.stepsWaiting = 0
        if item.status == .unknown || item.seekInFlight != nil {
            // The one in flight is left to show its frame, so that a storm of seeks still shows some; unless it
            // waits for bytes (`seekWaits`).
            if let waiting = item.seekWaiting {
                actions.append(.completeSeek(waiting.id, finished: false))
            }
            self.item?.seekWaiting = request
            if let flying = item.seekInFlight, !inFlightSeekIsAnswered {
                actions.append(.completeSeek(flying.id, finished: false))
                inFlightSeekIsAnswered = true
            }
            return
        }
        startSeek(request, &actions)
    }

    mutating func cancelSeeks(_ actions: inout [PlaybackAction]) {
        guard let item else { return }
        if let waiting = item.seekWaiting {
            actions.append(.completeSeek(waiting.id, finished: false))
            self.item?.seekWaiting = nil
        }
        // What is in flight lands all the same: there is no other place to be.
        if let flying = item.seekInFlight, !inFlightSeekIsAnswered {
            actions.append(.completeSeek(flying.id, finished: false))
            inFlightSeekIsAnswered = true
        }
    }

    mutating func startSeek(_ request: SeekRequest, _ actions: inout [PlaybackAction]) {
        var request = request
        request.target = clamped(request.target)
        epoch = makeEpoch()
        stopTimeline(&actions)
        takeUpRateAtEnd()
        isReverse = rate < 0 && item?.canPlayReverse == true
        item?.seekInFlight = request
        inFlightSeekIsAnswered = false
        item?.hasFirstFrame = false
        item?.hasEnded = false
        item?.endError = nil
        item?.isStalled = false
        item?.isReadToEnd = false
        item?.awaitsFrames = false
        item?.isStepping = false
        actions.append(.seek(epoch, request))
    }

    mutating func firstFramePresented(_ epoch: Epoch, _ time: MediaTime, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, item?.hasFirstFrame == false, item?.status == .readyToPlay else { return }
        item?.hasFirstFrame = true
        guard let id = item?.id, let landed = item?.seekInFlight else { return beginSteps(&actions) }
        item?.seekInFlight = nil
        actions.append(.post(.timeJumped(id, to: time)))
        if !inFlightSeekIsAnswered { actions.append(.completeSeek(landed.id, finished: true)) }
        if let waiting = item?.seekWaiting {
            item?.seekWaiting = nil
            startSeek(waiting, &actions)
        }
        beginSteps(&actions)
    }

    /// The seek in flight may never end, and the newest one goes first.
    mutating func seekWaits(_ epoch: Epoch, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, let waiting = item?.seekWaiting, item?.status == .readyToPlay,
            item?.hasFirstFrame == false
        else { return }
        item?.seekWaiting = nil
        startSeek(waiting, &actions)
    }

    /// Not before zero. Beyond the duration it is left as it is, for a container may say too little: landing
    /// finds the last frame, and where the data ends.
    private func clamped(_ target: MediaTime) -> MediaTime {
        let duration = item?.duration ?? .indefinite
        if target <= .zero { return .zero }
        guard duration.isNumeric else { return target.isNumeric ? target : .zero }
        return target.isNumeric ? target : duration + Self.beyondEnd
    }

    /// What containers leave out at their end is less than this.
    private static let beyondEnd = MediaTime(value: 10, timescale: 1)
}
