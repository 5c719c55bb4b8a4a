public import CoreMedia
public import Foundation

/// Seeks and prerolls that a task waits for.
extension AVPlayer {
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

    /// Seeks to the position at which a date is shown.
    ///
    /// - Parameter date: The date.
    /// - Returns: True if the seek finished.
    @discardableResult
    nonisolated public func seek(to date: Date) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: date) { continuation.resume(returning: $0) }
        }
    }

    /// Prepares playback at the present time.
    ///
    /// - Parameter rate: The rate that is prepared for.
    /// - Returns: False if playback began or the time changed first, or if `status` is not `.readyToPlay`.
    @discardableResult
    nonisolated public func preroll(atRate rate: Float) async -> Bool {
        await withCheckedContinuation { continuation in
            preroll(atRate: rate) { continuation.resume(returning: $0) }
        }
    }
}
