public import MediaCore
import PlaybackEngine
import PlayheadBackend
import Synchronization

extension PlayerItem {
    /// Moves to `time`, at once: `currentTime()` answers it from here on. Exact when both tolerances are
    /// zero; both infinite: the key frame at or before, which is quick.
    ///
    /// The frame shown lies in `time - toleranceBefore ... time`. `toleranceAfter` allows later ones too, but
    /// decoding starts at the key frame before `time`, so an earlier frame is always there sooner.
    ///
    /// Legal in every state; before a player has opened the item it is the start position. Clamped to what
    /// can be played. `completionHandler` gets true when the frame of the new time has been handed to the
    /// sinks, false when another seek or item came first, exactly once; `PlayerEvent.seekCompleted` tells the same of
    /// the same item, also of one that has left its player by then. An item that waits in a queue keeps the position, and
    /// its answer comes on the player's callback queue; that of an item in no player comes inside the call. An item of a queue that was played to its end
    /// just before the call answers false, and the one behind it does not move.
    public func seek(
        to time: MediaTime,
        toleranceBefore: MediaTime,
        toleranceAfter: MediaTime,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        if let core, core.item === self {
            core.seek(self, time, toleranceBefore, completionHandler)
            return
        }
        let isUsable = time.isNumeric && facts.status != .failed
        let attachment = state.withLock { state in
            if isUsable {
                state.startPosition = (time, toleranceBefore)
                state.isPositionKept = false
            }
            return state.attachment
        }
        // In a queue it may have been made ready for another place.
        if isUsable, let attachment { attachment.core?.loop.reloadItem(attachment.id) }
        // Nothing plays the item yet: the position is kept, and that is all there is to wait for.
        guard let completionHandler else { return }
        guard let core = attachment?.core else { return completionHandler(isUsable) }
        core.callbacks.enqueue { completionHandler(isUsable) }
    }

    /// Goes so many frames forward, or backward where `count` is negative, and pauses. Frame exact; only the
    /// last frame is shown, and behind the ends it stays at the first or the last one. While a seek or another
    /// step is under way it follows that, and `play()` goes on from where it ends; a seek calls it off. It waits for an
    /// item that was put back into a player and is being opened again. Without effect before the item was ready for the
    /// first time, where it is not its player's current item, and backward where it cannot be sought.
    public func step(byCount count: Int) {
        let attachment = state.withLock { $0.facts.status == .readyToPlay ? $0.attachment : nil }
        guard let attachment else { return }
        attachment.core?.loop.send(.step(count), to: attachment.id)
    }

    /// Every seek that has not finished is answered false.
    public func cancelPendingSeeks() {
        guard let attachment = state.withLock({ $0.attachment }) else { return }
        attachment.core?.loop.send(.cancelSeeks, to: attachment.id)
    }
}
