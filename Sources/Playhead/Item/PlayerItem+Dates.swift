public import Foundation
public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Items of playlists that say when their segments happened (HLS: `EXT-X-PROGRAM-DATE-TIME`). From any thread.
extension PlayerItem {
    /// When what is being shown happened; nil where nothing says so, and until the item is ready.
    public func currentDate() -> Date? {
        let time = currentTime()
        guard let dates = asset.description?.dates, let nanoseconds = time.nanoseconds else { return nil }
        let span = dates.first { $0.timeRange.contains(time) } ?? dates.last { $0.timeRange.end == time }
        guard let span, let start = span.timeRange.start.nanoseconds else { return nil }
        let (moment, overflow) = span.nanosecondsSince1970.addingReportingOverflow(nanoseconds - start)
        return overflow ? nil : Date(timeIntervalSince1970: Double(moment) / 1_000_000_000)
    }

    /// Moves to where `date` is shown, at once, with the tolerances of `seek(to:)`. False, and nothing
    /// happens: the item has no dates, is not ready, or the date lies outside of them. `completionHandler` gets
    /// what that of a seek to a time gets, and false in these cases, exactly once.
    @discardableResult
    public func seek(
        to date: Date,
        toleranceBefore: MediaTime = .positiveInfinity,
        toleranceAfter: MediaTime = .positiveInfinity,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) -> Bool {
        guard let time = time(of: date) else {
            if let core, let completionHandler {
                core.callbacks.enqueue { completionHandler(false) }
            } else {
                completionHandler?(false)
            }
            return false
        }
        seek(
            to: time,
            toleranceBefore: toleranceBefore,
            toleranceAfter: toleranceAfter,
            completionHandler: completionHandler
        )
        return true
    }

    /// The first moment of the item that happened then; nil: none did.
    private func time(of date: Date) -> MediaTime? {
        // A date is a number of seconds in floating point: of today's, microseconds are left.
        guard let dates = asset.description?.dates,
            let microseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded())
        else { return nil }
        let (nanoseconds, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return nil }
        for span in dates {
            let (passed, overflow) = nanoseconds.subtractingReportingOverflow(span.nanosecondsSince1970)
            guard !overflow else { continue }
            let time = span.timeRange.start + MediaTime(nanoseconds: passed)
            if span.timeRange.contains(time) || span == dates.last && time == span.timeRange.end {
                return time
            }
        }
        return nil
    }
}

extension Player {
    /// See `PlayerItem.seek`. Without an item: false.
    @discardableResult
    public func seek(
        to date: Date,
        toleranceBefore: MediaTime = .positiveInfinity,
        toleranceAfter: MediaTime = .positiveInfinity,
        completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) -> Bool {
        guard let item = core.item else {
            if let completionHandler { core.callbacks.enqueue { completionHandler(false) } }
            return false
        }
        return item.seek(
            to: date,
            toleranceBefore: toleranceBefore,
            toleranceAfter: toleranceAfter,
            completionHandler: completionHandler
        )
    }
}
