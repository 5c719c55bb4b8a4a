package import MediaCore

/// A point on an item's own timeline, in nanoseconds. Zero is where the item begins, in each pass anew.
package struct ItemTime: TimePoint {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Later than every other time: "never".
    package static let distantFuture = ItemTime(nanoseconds: .max)
}

/// The one way from media time to item time and back.
extension ItemTime {
    /// Rounded to a whole nanosecond; nil when `time` is not numeric.
    package init?(_ time: MediaTime?) {
        guard let nanoseconds = time?.nanoseconds else { return nil }
        self.init(nanoseconds: nanoseconds)
    }

    /// Exact.
    package var mediaTime: MediaTime { MediaTime(nanoseconds: nanoseconds) }
}
