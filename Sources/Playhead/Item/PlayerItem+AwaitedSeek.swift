public import Foundation
public import MediaCore

/// Seeks that are waited for. Each begins at the call, and returns whether it finished, as the completion handlers of
/// the other forms are told. A task that is cancelled waits no longer and gets false; its seek goes on, unless
/// `cancelPendingSeeks()` calls it off.
extension PlayerItem {
    /// To the key frame at or before `time`, which is quick and not exact; returns whether it finished.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// To `time`, exactly when both tolerances are zero; returns whether it finished.
    @discardableResult
    public func seek(to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime) async -> Bool
    {
        await answer {
            seek(
                to: time,
                toleranceBefore: toleranceBefore,
                toleranceAfter: toleranceAfter,
                completionHandler: $0
            )
        }
    }

    /// To where `date` is shown; returns whether it finished. False, and nothing happens: the item has no dates, is
    /// not ready, or the date lies outside of them.
    @discardableResult
    public func seek(
        to date: Date,
        toleranceBefore: MediaTime = .positiveInfinity,
        toleranceAfter: MediaTime = .positiveInfinity
    ) async -> Bool {
        await answer {
            seek(
                to: date,
                toleranceBefore: toleranceBefore,
                toleranceAfter: toleranceAfter,
                completionHandler: $0
            )
        }
    }
}

/// Seeks to the key frame at or before a time: quick, not exact.
extension PlayerItem {
    /// Moves there at once, without an answer. Where a task calls it, `await` chooses the form that waits.
    public func seek(to time: MediaTime) {
        seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// As above; the handler gets whether the seek finished, exactly once.
    public func seek(to time: MediaTime, completionHandler: (@Sendable (Bool) -> Void)?) {
        seek(
            to: time,
            toleranceBefore: .positiveInfinity,
            toleranceAfter: .positiveInfinity,
            completionHandler: completionHandler
        )
    }
}
