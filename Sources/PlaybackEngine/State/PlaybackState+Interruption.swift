import MediaCore

/// The system takes the audio away for a while: a call comes in.
extension PlaybackState {
    /// It pauses. The rate that was wanted, also one that a stall took away, is kept for the end of the interruption.
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
        let wanted = rateBeforeInterruption
        leaveInterruption(shouldResume: wanted != nil, &actions)
        guard let wanted, resumesAfterInterruption else { return }
        setRate(wanted, &actions)
        if rate != 0 { rateReason = .resumedAfterInterruption }
    }

    /// Somebody has set a rate. A pause is a pause, also when the interruption is over; who plays has his way, and the
    /// interruption is over for this player.
    mutating func overruleInterruption(_ actions: inout [PlaybackAction]) {
        rateBeforeInterruption = nil
        if rate != 0, isInterrupted { leaveInterruption(shouldResume: false, &actions) }
    }

    private mutating func leaveInterruption(shouldResume: Bool, _ actions: inout [PlaybackAction]) {
        isInterrupted = false
        rateBeforeInterruption = nil
        actions.append(.post(.interruptionEnded(shouldResume: shouldResume)))
    }

    /// A rate that somebody has asked for, of an item that comes to play only now.
    mutating func takeUp(_ wanted: Float) {
        if isInterrupted { rateBeforeInterruption = wanted } else { rate = wanted }
    }
}
