import MediaCore

/// Preroll and synchronized start: everything is prepared first, then playback starts at a given host time.
extension PlaybackState {
    mutating func restart(_ rate: Float, _ time: MediaTime?, _ actions: inout [PlaybackAction]) {
        stopTimeline(&actions)
        setRate(rate, &actions)
        startsAtOnce = rate != 0
        if let time { seek(SeekRequest(id: SeekID(0), target: time), &actions) }
    }

    /// Registers a preroll. It fails unless the player is paused and has an item that has not failed.
    mutating func preroll(_ id: SeekID, _ actions: inout [PlaybackAction]) {
        guard rate == 0, let item, item.status != .failed else {
            actions.append(.completePreroll(id, finished: false))
            return
        }
        prerolls.append(id)
    }

    /// Completes the pending prerolls: with true as soon as playback could start without a delay, with false if
    /// something else happened first, such as a seek, a change of item or the start of playback.
    mutating func completePrerolls(
        since old: PlaybackState,
        _ event: PlaybackEvent,
        _ actions: inout [PlaybackAction]
    ) {
        guard !prerolls.isEmpty else { return }
        var isOff = rate != 0 || item?.id != old.item?.id || item?.status == .failed
        switch event {
        case .cancelPrerolls: isOff = true
        // The position stays.
        case .itemSwitch, .startedLate: break
        default: isOff = isOff || epoch != old.epoch && epoch != resumedEpoch
        }
        let isReady =
            !isScrubbing && item?.status == .readyToPlay && item?.hasFirstFrame == true
            && (item?.level.isLikelyToKeepUp == true || item?.level.isFull == true)
        guard isOff || isReady else { return }
        for id in prerolls { actions.append(.completePreroll(id, finished: !isOff)) }
        prerolls = []
    }
}
