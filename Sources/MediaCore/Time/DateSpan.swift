/// A range of an item's timeline with a known date (RFC 8216: `EXT-X-PROGRAM-DATE-TIME`).
public struct DateSpan: Hashable, Sendable {
    /// The range, in item time. Inside it, dates advance at the rate of item time.
    public var timeRange: MediaTimeRange
    /// The date of `timeRange.start`: nanoseconds since 1970-01-01 00:00:00 UTC.
    public var nanosecondsSince1970: Int64

    /// Creates a span.
    ///
    /// - Parameters:
    ///   - timeRange: The range, in item time.
    ///   - nanosecondsSince1970: The date of the range's start: nanoseconds since 1970-01-01 00:00:00 UTC.
    public init(timeRange: MediaTimeRange, nanosecondsSince1970: Int64) {
        self.timeRange = timeRange
        self.nanosecondsSince1970 = nanosecondsSince1970
    }
}
