/// A reading of a monotonic clock of the host, in nanoseconds. Only differences between readings are meaningful.
///
/// A virtual clock starts at zero. The system clock starts at a time that the kernel chooses.
public struct HostTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the origin of the clock.
    public var nanoseconds: Int64

    /// Creates a reading.
    ///
    /// - Parameter nanoseconds: Nanoseconds since the origin of the clock; every value is valid.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The origin of the clock, at which a virtual clock starts.
    public static let zero = HostTime(nanoseconds: 0)
    /// A time later than every other one, for events that never happen.
    public static let distantFuture = HostTime(nanoseconds: .max)

    public static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Returns this time plus a number of nanoseconds, clamped to the representable range.
    ///
    /// - Parameter nanoseconds: The nanoseconds to add; may be negative.
    /// - Returns: The sum, clamped to the limits of `Int64`.
    package func advanced(by nanoseconds: Int64) -> HostTime {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return HostTime(nanoseconds: overflow ? (nanoseconds > 0 ? .max : .min) : sum)
    }

    /// Returns a time plus a duration, clamped to the representable range. Fractions of a nanosecond are dropped.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - duration: The duration to add; may be negative.
    /// - Returns: The sum.
    public static func + (time: HostTime, duration: Duration) -> HostTime {
        time.advanced(by: duration.nanoseconds)
    }

    /// Returns a time minus a duration, clamped to the representable range. Fractions of a nanosecond are dropped.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - duration: The duration to subtract; may be negative.
    /// - Returns: The difference.
    public static func - (time: HostTime, duration: Duration) -> HostTime {
        time.advanced(by: (Duration.zero - duration).nanoseconds)
    }

    /// Returns the duration between two readings.
    ///
    /// - Parameters:
    ///   - time: The later reading.
    ///   - earlier: The reading to subtract.
    /// - Returns: The duration; negative if `earlier` is later.
    public static func - (time: HostTime, earlier: HostTime) -> Duration {
        .nanoseconds(time.nanoseconds) - .nanoseconds(earlier.nanoseconds)
    }

    /// Returns the nanoseconds between two readings, clamped to the representable range.
    ///
    /// - Parameter earlier: The reading to subtract.
    /// - Returns: Nanoseconds from `earlier` to this time; negative if `earlier` is later.
    public func nanoseconds(since earlier: HostTime) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? (nanoseconds > earlier.nanoseconds ? .max : .min) : difference
    }
}

/// A source of host times. The engine receives every time from a clock of this kind, and reads no other.
public protocol HostClock: Sendable {
    /// The current reading. May be called on any thread at any time; it never decreases.
    var now: HostTime { get }
}
