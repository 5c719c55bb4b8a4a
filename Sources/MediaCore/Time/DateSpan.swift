/// A stretch of an item's timeline of which it is known when it happened.
public struct DateSpan: Hashable, Sendable {
    /// The stretch, in item time. Inside it a date goes as fast as item time does.
    public var timeRange: MediaTimeRange
    /// The moment of `timeRange.start`: nanoseconds since the beginning of 1970 (UTC).
    public var nanosecondsSince1970: Int64

    /// `nanosecondsSince1970` is the moment of the range's start.
    public init(timeRange: MediaTimeRange, nanosecondsSince1970: Int64) {
        self.timeRange = timeRange
        self.nanosecondsSince1970 = nanosecondsSince1970
    }
}
