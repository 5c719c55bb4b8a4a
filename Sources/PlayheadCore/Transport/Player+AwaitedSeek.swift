public import FoundationEssentials
public import MediaCore

/// Asynchronous seeks in the current item. A seek starts at the call and returns whether it finished; without a current
/// item it returns false. A cancelled task returns false at once, but its seek continues unless
/// `PlayerItem.cancelPendingSeeks()` cancels it.
extension Player {
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
        guard let item = core.item else { return false }
        return await item.seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter)
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
        guard let item = core.item else { return false }
        return await item.seek(to: date, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter)
    }
}
