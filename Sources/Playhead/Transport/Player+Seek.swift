public import MediaCore
import PlaybackEngine
import PlayheadBackend

extension Player {
    /// To the key frame at or before `time`: quick, not exact.
    public func seek(to time: MediaTime) {
        seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// As above; the handler gets whether the seek finished.
    public func seek(to time: MediaTime, completionHandler: (@Sendable (Bool) -> Void)?) {
        seek(
            to: time,
            toleranceBefore: .positiveInfinity,
            toleranceAfter: .positiveInfinity,
            completionHandler: completionHandler
        )
    }

    /// See `PlayerItem.seek`. Without an item the handler gets false.
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
        item.seek(
            to: time,
            toleranceBefore: toleranceBefore,
            toleranceAfter: toleranceAfter,
            completionHandler: completionHandler
        )
    }
}
