import MediaCore
import PlaybackEngine

/// The position of a live item after a pause or a stall.
extension PlayerCore {
    /// Seeks to the live position if playback cannot or must not continue at the current one.
    func returnToLive(_ item: PlayerItem) {
        // Before the first frame the time is zero, which is not the position at which a live item begins.
        let snapshot = loop.snapshot
        guard snapshot.counters.startupTime != nil, snapshot.itemID == setting(\.itemID) else { return }
        let stop = state.withLock { state in
            defer { state.liveStop = nil }
            return state.liveStop?.item == state.itemID ? state.liveStop : nil
        }
        guard let position = item.liveResumePosition(after: currentTime(of: item), stoppedAt: stop?.offset)
        else { return }
        seek(item, position, .positiveInfinity, nil)
    }

    /// Stores the offset from the live edge at which the current item is paused or has stalled.
    func noteLiveStop() {
        guard let item, let offset = item.liveOffset(at: currentTime(of: item)) else { return }
        state.withLock { state in if state.item === item { state.liveStop = (state.itemID, offset) } }
    }

    /// Handles the end of a stall.
    func noteStall(_ change: PlaybackChange) {
        switch change {
        case .playbackStalled(let id):
            state.withLock { $0.stalled = id }
            noteLiveStop()
        case .rateChanged(from: _, to: 0, .audioSessionInterrupted): noteLiveStop()
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
