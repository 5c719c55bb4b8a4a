public import FoundationEssentials
import HLS
public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Dates of items from playlists that declare them (HLS: `EXT-X-PROGRAM-DATE-TIME`). All members may be used from any
/// thread.
extension PlayerItem {
    /// Returns the date at which the frame that is shown was recorded, or nil if the item has no dates or is not ready.
    /// It is the date of `currentTime()`, which is the target during a seek.
    public func currentDate() -> Date? { date(at: currentTime()) }

    /// Returns the date at which the frame of an item time was recorded, or nil if the item has no dates or is not ready.
    ///
    /// - Parameter time: The item time.
    /// - Returns: The date.
    package func date(at time: MediaTime) -> Date? {
        guard let dates, let nanoseconds = time.nanoseconds else { return nil }
        let span = dates.first { $0.timeRange.contains(time) } ?? dates.last { $0.timeRange.end == time }
        guard let span, let start = span.timeRange.start.nanoseconds else { return nil }
        let (moment, overflow) = span.nanosecondsSince1970.addingReportingOverflow(
            nanoseconds.subtractingClamped(start)
        )
        return overflow ? nil : Date(timeIntervalSince1970: Double(moment) / 1_000_000_000)
    }

    /// Seeks to the position at which a date is shown.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede the position.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow the position.
    ///   - completionHandler: Called exactly once, with true if the seek finished; with false also if this method
    ///     returns false.
    /// - Returns: False if the item is not ready, has no dates, or does not include `date`; then nothing happens.
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

    /// The dates of the item; nil until its asset is loaded. A live presentation has those of the segments that the
    /// server offers now, followed by those at its opening.
    private var dates: [DateSpan]? {
        asset.media.map { media in (asset.liveWindow?.window.dates ?? []) + media.dates }
    }

    /// Returns the first position of the item at which a date is shown, or nil.
    private func time(of date: Date) -> MediaTime? {
        // `Date` is a floating point number of seconds: for present dates its precision is about a microsecond.
        guard let dates,
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
    /// Seeks in the current item to the position at which a date is shown; see
    /// `PlayerItem.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - toleranceBefore: The maximum time by which the shown frame may precede the position.
    ///   - toleranceAfter: The maximum time by which the shown frame may follow the position.
    ///   - completionHandler: Called exactly once, with true if the seek finished.
    /// - Returns: False without a current item, or if the item is not ready, has no dates, or does not include `date`.
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
