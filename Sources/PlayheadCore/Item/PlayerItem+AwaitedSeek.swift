public import FoundationEssentials
public import MediaCore

/// Asynchronous seeks. A seek starts at the call and returns whether it finished. A cancelled task returns false at
/// once, but its seek continues unless `cancelPendingSeeks()` cancels it.
extension PlayerItem {
    /// Seeks to the key frame at or before a time, which is fast and not exact.
    ///
    /// - Parameter time: The item time.
    /// - Returns: True if the seek finished; false if another seek or item replaced it.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks to a time within tolerances. The seek is exact if both are zero.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede `time`.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow `time`.
    /// - Returns: True if the seek finished; false if another seek or item replaced it.
    @discardableResult
    public func seek(to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime) async -> Bool
    {
        await awaitCompletion {
            seek(
                to: time,
                toleranceBefore: toleranceBefore,
                toleranceAfter: toleranceAfter,
                completionHandler: $0
            )
        }
    }

    /// Seeks to the position at which a date is shown.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede the position.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow the position.
    /// - Returns: True if the seek finished. False also if the item is not ready, has no dates, or does not include
    ///   `date`; then nothing happens.
    @discardableResult
    public func seek(
        to date: Date,
        toleranceBefore: MediaTime = .positiveInfinity,
        toleranceAfter: MediaTime = .positiveInfinity
    ) async -> Bool {
        await awaitCompletion {
            seek(
                to: date,
                toleranceBefore: toleranceBefore,
                toleranceAfter: toleranceAfter,
                completionHandler: $0
            )
        }
    }
}

/// Fast seeks to the key frame at or before a time.
extension PlayerItem {
    /// Seeks to the key frame at or before a time and returns at once. In an asynchronous context, `await` selects the
    /// form that waits.
    ///
    /// - Parameter time: The item time.
    public func seek(to time: MediaTime) {
        seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks to the key frame at or before a time and calls a handler.
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
}
