public import Foundation
public import MediaCore

/// Seeks of the current item that are waited for. Each begins at the call, and returns whether it finished; false
/// without an item. A task that is cancelled waits no longer and gets false; its seek goes on, unless
/// `PlayerItem.cancelPendingSeeks()` calls it off.
extension Player {
    /// To the key frame at or before `time`, which is quick and not exact; returns whether it finished.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// To `time`, exactly when both tolerances are zero; returns whether it finished.
    @discardableResult
    public func seek(to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime) async -> Bool
    {
        guard let item = core.item else { return false }
        return await item.seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter)
    }

    /// To where `date` is shown; returns whether it finished. False, and nothing happens: the item has no dates, is
    /// not ready, or the date lies outside of them.
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
