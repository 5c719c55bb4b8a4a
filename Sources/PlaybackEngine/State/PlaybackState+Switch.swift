import MediaCore

/// The switch of the current item to other settings, and searches from an earlier position. Both begin an epoch and
/// leave the playback position where it is.
extension PlaybackState {
    mutating func switchItem(_ event: ItemSwitch.Event, _ actions: inout [PlaybackAction]) {
        if case .requested(_, let situation?) = event, situation.continuesPastEnd { moveEnd() }
        let wasOpen = itemSwitch.target != nil
        for action in itemSwitch.handle(event) {
            switch action {
            case .open, .move: switchEpoch = makeEpoch()
            case .replace:
                epoch = switchEpoch
                item?.isReadToEnd = false
                item?.awaitsFrames = false
            case .load, .hold, .discard, .applyEnds: break
            }
            actions.append(.itemSwitch(action, switchEpoch))
        }
        // The second opening is gone, and with it the frames after the old end.
        if wasOpen, itemSwitch.phase == .idle, item?.awaitsFrames == true {
            item?.awaitsFrames = false
            item?.hasEnded = true
        }
    }

    /// Clears the end, because the settings to switch to have content after it. Playback resumes when that content
    /// arrives.
    private mutating func moveEnd() {
        guard let item, item.status == .readyToPlay, item.hasEnded, !item.isSeeking else { return }
        self.item?.hasEnded = false
        self.item?.endError = nil
        self.item?.awaitsFrames = true
    }

    /// Searches for the first frames of the current or the prepared item from an earlier position, in an epoch of its
    /// own.
    mutating func startedLate(_ late: Epoch, _ actions: inout [PlaybackAction]) {
        guard late == prepared?.epoch || late == epoch && item != nil else { return }
        let earlier = makeEpoch()
        if late == prepared?.epoch {
            prepared?.epoch = earlier
        } else {
            if silentEpoch == epoch { silentEpoch = earlier }
            epoch = earlier
            item?.awaitsFrames = false
            switchItem(.positionChanged, &actions)
        }
        actions.append(.searchEarlier(than: late, earlier))
    }
}
