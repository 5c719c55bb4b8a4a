/// A point in time, in nanoseconds from an origin that its type defines.
///
/// Points of different types do not mix: a comparison or a difference requires two points of the same type. Durations
/// are `Int64` nanoseconds. Sums and differences are clamped instead of wrapping, so that an extreme timestamp never
/// changes the order of points.
package protocol TimePoint: Comparable, Hashable, Sendable {
    var nanoseconds: Int64 { get }
    init(nanoseconds: Int64)
}

extension TimePoint {
    package static var zero: Self { Self(nanoseconds: 0) }

    package static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Returns the point `duration` nanoseconds later.
    package static func + (time: Self, duration: Int64) -> Self {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration)
        return Self(nanoseconds: overflow ? (duration > 0 ? .max : .min) : sum)
    }

    /// Returns the point `duration` nanoseconds earlier.
    package static func - (time: Self, duration: Int64) -> Self {
        let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow(duration)
        return Self(nanoseconds: overflow ? (duration > 0 ? .min : .max) : difference)
    }

    /// Returns the nanoseconds from `earlier` to `later`.
    package static func - (later: Self, earlier: Self) -> Int64 {
        let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? (later > earlier ? .max : .min) : difference
    }
}
