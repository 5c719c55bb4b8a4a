internal import MediaCore

extension MediaTime {
    /// The time rounded down to microseconds, or 0 if it is not numeric.
    var microseconds: Int64 { (nanoseconds ?? 0) / 1000 }
}
