public import CoreMedia

/// Seeks that a task waits for, and seeks without a handler.
extension AVPlayerItem {
    /// Seeks to the key frame at or before a time.
    ///
    /// - Parameter time: The item time.
    nonisolated public func seek(to time: CMTime) { seek(to: time, completionHandler: nil) }

    /// Seeks to a time within tolerances.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede `time`.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow `time`.
    nonisolated public func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
        seek(
            to: time,
            toleranceBefore: toleranceBefore,
            toleranceAfter: toleranceAfter,
            completionHandler: nil
        )
    }

    /// Seeks to the key frame at or before a time.
    ///
    /// - Parameter time: The item time.
    /// - Returns: True if the seek finished.
    @discardableResult
    nonisolated public func seek(to time: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time) { continuation.resume(returning: $0) }
        }
    }

    /// Seeks to a time within tolerances.
    ///
    /// - Parameters:
    ///   - time: The item time.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede `time`.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow `time`.
    /// - Returns: True if the seek finished.
    @discardableResult
    nonisolated public func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async
        -> Bool
    {
        await withCheckedContinuation { continuation in
            seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) {
                continuation.resume(returning: $0)
            }
        }
    }
}
