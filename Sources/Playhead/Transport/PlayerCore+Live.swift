import MediaCore
import PlaybackEngine

/// The position of a live item after a pause or a stall.
extension PlayerCore {
    /// Seeks to the live position if playback cannot or must not continue at the current one.
    func returnToLive(_ item: PlayerItem) {
        // Before the first frame the time is zero, which is not the position at which a live item begins.
        let snapshot = loop.snapshot
        guard snapshot.counters.startupTime != nil, snapshot.itemID == setting(\.itemID),
            let position = item.liveResumePosition(after: currentTime(of: item))
        else { return }
        seek(item, position, .positiveInfinity, nil)
    }

    /// Handles the end of a stall.
    func noteStall(_ change: PlaybackChange) {
        switch change {
        case .playbackStalled(let id): state.withLock { $0.stalled = id }
        case .timeControlChanged(.playing, _):
            let item = state.withLock { state -> PlayerItem? in
                defer { state.stalled = nil }
                return state.stalled != nil && state.stalled == state.itemID ? state.item : nil
            }
            if let item { returnToLive(item) }
        default: break
        }
    }
}
