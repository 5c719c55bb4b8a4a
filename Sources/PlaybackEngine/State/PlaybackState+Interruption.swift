import MediaCore

/// Interruptions: the system uses the audio device for something else for a while, such as a call.
extension PlaybackState {
    /// Pauses, and keeps the rate that was requested, including one that a stall took away, for the end of the
    /// interruption.
    mutating func beginInterruption(_ actions: inout [PlaybackAction]) {
        guard !isInterrupted else { return }
        isInterrupted = true
        rateBeforeInterruption = rate == 0 ? rateAtEnd ?? rateBeforeStall : rate
        rateAtEnd = nil
        rateBeforeStall = nil
        stopTimeline(&actions)
        actions.append(.post(.interruptionBegan))
        rateReason = .audioSessionInterrupted
        rate = 0
        startsAtOnce = false
    }

    mutating func endInterruption(_ actions: inout [PlaybackAction]) {
        guard isInterrupted else { return }
        let requestedRate = rateBeforeInterruption
        finishInterruption(shouldResume: requestedRate != nil, &actions)
        guard let requestedRate, resumesAfterInterruption else { return }
        setRate(requestedRate, &actions)
        if rate != 0 { rateReason = .resumedAfterInterruption }
    }

    /// Applies a rate that was set during an interruption. After a pause, playback does not resume when the
    /// interruption ends. A rate other than 0 ends the interruption for this player.
    mutating func overrideInterruption(_ actions: inout [PlaybackAction]) {
        rateBeforeInterruption = nil
        if rate != 0, isInterrupted { finishInterruption(shouldResume: false, &actions) }
    }

    private mutating func finishInterruption(shouldResume: Bool, _ actions: inout [PlaybackAction]) {
        isInterrupted = false
        rateBeforeInterruption = nil
        actions.append(.post(.interruptionEnded(shouldResume: shouldResume)))
    }

    /// Applies a rate that was requested earlier to an item that can only be played now.
    mutating func restoreRate(_ requestedRate: Float) {
        if isInterrupted { rateBeforeInterruption = requestedRate } else { rate = requestedRate }
    }
}
