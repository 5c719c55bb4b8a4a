public import MediaCore
import PlaybackEngine
import PlayheadBackend
import Synchronization

extension PlayerItem {
    /// Seeks to a time within tolerances. `currentTime()` returns the target from the call on.
    ///
    /// The seek is exact if both tolerances are zero. If both are infinite, it leads to the key frame at or before
    /// `time`, which is fast. The frame that is shown lies in `time - toleranceBefore ... time`: `toleranceAfter`
    /// permits later frames too, but decoding starts at the key frame before `time`, so an earlier frame is always
    /// available first.
    ///
    /// The method may be called in every state. Before a player has opened the item it sets the start position. The
    /// target is clamped to the range that can be played.
    ///
    /// The handler is called exactly once: with true when the frame at the new time has been delivered to the sinks,
    /// with false if another seek or item replaced it. `PlayerEvent.seekCompleted` reports the same result, also for an
    /// item that has left its player by then. An item that waits in a queue, or that an interstitial has interrupted,
    /// stores the position and calls the handler on the player's callback queue. An item without a player calls it
    /// before the method returns. If the item of a queue was played to its end just before the call, the handler gets
    /// false, and the following item is not affected.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede `time`.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow `time`.
    ///   - completionHandler: Called exactly once, with true if the seek finished.
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
                state.startPosition = (max(.zero, time), toleranceBefore)
                state.isPositionKept = false
            }
            return state.attachment
        }
        // Another thread may have made the item the current one meanwhile, and then has not seen the position.
        if isUsable, let core = attachment?.core, core.item === self, let start = removeStartPosition() {
            return core.seek(self, start.time, start.toleranceBefore, completionHandler)
        }
        // A queued item may have been prepared for another position.
        if isUsable, let attachment { attachment.core?.loop.reloadItem(attachment.id) }
        // Without playback, storing the position completes the seek.
        guard let completionHandler else { return }
        guard let core = attachment?.core else { return completionHandler(isUsable) }
        core.callbacks.enqueue { completionHandler(isUsable) }
    }

    /// Removes the start position, unless it is that of the last playback.
    ///
    /// - Returns: The start position, or nil.
    func removeStartPosition() -> (time: MediaTime, toleranceBefore: MediaTime)? {
        state.withLock { state in
            guard !state.isPositionKept else { return nil }
            defer { state.startPosition = nil }
            return state.startPosition
        }
    }

    /// Pauses playback and steps by `count` frames, backward if it is negative.
    ///
    /// Steps are exact to the frame; only the last frame is shown. A step beyond the ends stops at the first or last
    /// frame. During a seek or another step, the step follows it, and `play()` continues from there; a later seek
    /// cancels it. If the item is being reopened after it was returned to a player, the step is performed once it is
    /// ready.
    ///
    /// The method has no effect before the item was ready for the first time, and if the item is not its player's
    /// current item. Backward steps require a seekable item.
    ///
    /// - Parameter count: The number of frames.
    public func step(byCount count: Int) {
        let attachment = state.withLock { $0.facts.status == .readyToPlay ? $0.attachment : nil }
        guard let attachment, let core = attachment.core else { return }
        core.executeVisibleChanges()
        core.loop.send(.step(count), to: attachment.id)
    }

    /// Cancels all pending seeks: their completion handlers get false.
    public func cancelPendingSeeks() {
        guard let attachment = state.withLock({ $0.attachment }) else { return }
        attachment.core?.loop.send(.cancelSeeks(attachment.id))
    }
}
