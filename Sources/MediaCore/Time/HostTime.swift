/// A reading of the host's monotonic clock, in nanoseconds. Only differences mean anything.
///
/// A virtual clock starts at zero; the system clock starts wherever the kernel says.
public struct HostTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's own origin.
    public var nanoseconds: Int64

    /// Nanoseconds since the clock's own origin; any number is legal.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The clock's own origin: where a virtual clock starts.
    public static let zero = HostTime(nanoseconds: 0)
    /// Later than every other time: "never".
    public static let distantFuture = HostTime(nanoseconds: .max)

    public static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }

    /// The time `nanoseconds` later, held at the ends of the range instead of wrapping.
    public func advanced(by nanoseconds: Int64) -> HostTime {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return HostTime(nanoseconds: overflow ? (nanoseconds > 0 ? .max : .min) : sum)
    }

    /// Nanoseconds from `earlier` to `self`, held at the ends of the range.
    public func nanoseconds(since earlier: HostTime) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? (nanoseconds > earlier.nanoseconds ? .max : .min) : difference
    }
}

/// Where "now" comes from. Every time below the public API is handed in by one of these.
public protocol HostClock: Sendable {
    /// The clock's reading. Any thread, at any time; it never goes back.
    var now: HostTime { get }
}
