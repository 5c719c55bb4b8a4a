package import MediaCore

/// A point on an item's own timeline, in nanoseconds. Each pass begins at zero.
package struct ItemTime: TimePoint {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// A time later than every other time, which means "never".
    package static let distantFuture = ItemTime(nanoseconds: .max)
}

/// Conversion between media time and item time.
extension ItemTime {
    /// Creates an item time, rounded to a whole nanosecond. Returns nil if `time` is not numeric.
    package init?(_ time: MediaTime?) {
        guard let nanoseconds = time?.nanoseconds else { return nil }
        self.init(nanoseconds: nanoseconds)
    }

    /// The exact media time.
    package var mediaTime: MediaTime { MediaTime(nanoseconds: nanoseconds) }
}
