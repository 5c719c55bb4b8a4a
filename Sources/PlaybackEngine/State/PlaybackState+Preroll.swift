import MediaCore

/// Starting in step with something else: everything at hand first, then at an appointed moment.
extension PlaybackState {
    mutating func restart(_ rate: Float, _ time: MediaTime?, _ actions: inout [PlaybackAction]) {
        stopTimeline(&actions)
        setRate(rate, &actions)
        startsAtOnce = rate != 0
        if let time { seek(SeekRequest(id: SeekID(0), target: time), &actions) }
    }

    /// Only while standing still; otherwise there is nothing to prepare for.
    mutating func preroll(_ id: SeekID, _ actions: inout [PlaybackAction]) {
        guard rate == 0, let item, item.status != .failed else {
            actions.append(.completePreroll(id, finished: false))
            return
        }
        prerolls.append(id)
    }

    /// True as soon as playing could start at once. False when something else has happened first: another
    /// time, another item, or playing has begun.
    mutating func answerPrerolls(
        since old: PlaybackState,
        _ event: PlaybackEvent,
        _ actions: inout [PlaybackAction]
    ) {
        guard !prerolls.isEmpty else { return }
        var isOff = rate != 0 || epoch != old.epoch || item?.id != old.item?.id || item?.status == .failed
        if case .cancelPrerolls = event { isOff = true }
        let isReady =
            item?.status == .readyToPlay && item?.hasFirstFrame == true
            && (item?.level.isLikelyToKeepUp == true || item?.level.isFull == true)
        guard isOff || isReady else { return }
        for id in prerolls { actions.append(.completePreroll(id, finished: !isOff)) }
        prerolls = []
    }
}
