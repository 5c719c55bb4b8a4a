public import MediaCore
import PlaybackEngine
import PlayheadBackend

extension Player {
    /// Seeks in the current item to the key frame at or before a time, which is fast and not exact.
    ///
    /// - Parameter time: The item time.
    public func seek(to time: MediaTime) {
        seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks in the current item to the key frame at or before a time and calls a handler.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - completionHandler: Called exactly once, with true if the seek finished.
    public func seek(to time: MediaTime, completionHandler: (@Sendable (Bool) -> Void)?) {
        seek(
            to: time,
            toleranceBefore: .positiveInfinity,
            toleranceAfter: .positiveInfinity,
            completionHandler: completionHandler
        )
    }

    /// Seeks in the current item to a time within tolerances; see
    /// `PlayerItem.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede `time`.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow `time`.
    ///   - completionHandler: Called exactly once, with true if the seek finished; with false without a current item.
    public func seek(
        to time: MediaTime,
        toleranceBefore: MediaTime,
        toleranceAfter: MediaTime,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard let item = core.item else {
            if let completionHandler { core.callbacks.enqueue { completionHandler(false) } }
            return
        }
        // The item may leave the player meanwhile. The player then calls the handler on its callback queue.
        core.seek(item, time, toleranceBefore, completionHandler)
    }
}
