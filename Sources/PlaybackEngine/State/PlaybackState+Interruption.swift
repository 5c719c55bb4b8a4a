import MediaCore

/// Interruptions: the system uses the audio device for something else for a while, such as a call.
extension PlaybackState {
    /// Pauses, and withholds the rate that was requested until the interruption ends. The rate that was requested of
    /// a failed item stays withheld for the item that replaces it.
    mutating func beginInterruption(_ actions: inout [PlaybackAction]) {
        guard !isInterrupted else { return }
        isInterrupted = true
        switch withheldRate {
        case .failure: break
        default: withheldRate = requestedRate.map { .interruption($0) } ?? .none
        }
        stopTimeline(&actions)
        actions.append(.post(.interruptionBegan))
        rateReason = .audioSessionInterrupted
        rate = 0
        startsAtOnce = false
    }

    mutating func endInterruption(_ actions: inout [PlaybackAction]) {
        guard isInterrupted else { return }
        guard case .interruption(let requestedRate) = withheldRate else {
            return finishInterruption(shouldResume: false, &actions)
        }
        withheldRate = .none
        finishInterruption(shouldResume: true, &actions)
        guard resumesAfterInterruption else { return }
        setRate(requestedRate, &actions)
        if rate != 0 { rateReason = .resumedAfterInterruption }
    }

    /// Ends the interruption for this player if a rate other than 0 was set during it.
    mutating func overrideInterruption(_ actions: inout [PlaybackAction]) {
        if rate != 0, isInterrupted { finishInterruption(shouldResume: false, &actions) }
    }

    private mutating func finishInterruption(shouldResume: Bool, _ actions: inout [PlaybackAction]) {
        isInterrupted = false
        actions.append(.post(.interruptionEnded(shouldResume: shouldResume)))
    }

    /// Applies a rate that was requested earlier to an item that can only be played now.
    mutating func restoreRate(_ requestedRate: Float) {
        if isInterrupted { withheldRate = .interruption(requestedRate) } else { rate = requestedRate }
    }
}
