/// Sums and differences (CMTimeAdd, CMTimeSubtract).
///
/// The result has the common timescale, or the least common multiple of both, limited to `Int32.max`. A value that
/// does not fit then is rounded to half the timescale, repeatedly.
///
/// Times that are not numeric follow these rules, in this order: a sum with an invalid time is invalid; the sum of
/// opposite infinities is invalid; an infinity plus any other time is that infinity; an indefinite time plus a number
/// is indefinite.
extension MediaTime {
    /// Returns the sum of two times: exact, or marked as rounded if no timescale can hold it (CMTimeAdd).
    public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
        if a.isNumeric, b.isNumeric {
            if a.timescale == b.timescale {
                let (sum, overflow) = a.value.addingReportingOverflow(b.value)
                if !overflow {
                    return MediaTime(
                        value: sum,
                        timescale: a.timescale,
                        hasBeenRounded: a.hasBeenRounded || b.hasBeenRounded
                    )
                }
            }
            return added(a, b, sign: 1)
        }
        return sumWithoutNumber(a, b)
    }

    /// Returns the difference of two times: exact, or marked as rounded if no timescale can hold it (CMTimeSubtract).
    public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
        if a.isNumeric, b.isNumeric {
            if a.timescale == b.timescale {
                let (difference, overflow) = a.value.subtractingReportingOverflow(b.value)
                if !overflow {
                    return MediaTime(
                        value: difference,
                        timescale: a.timescale,
                        hasBeenRounded: a.hasBeenRounded || b.hasBeenRounded
                    )
                }
            }
            return added(a, b, sign: -1)
        }
        // Only the kinds matter from here on, so a number is not negated. Int64.min could not be negated.
        return sumWithoutNumber(a, b.isNumeric ? b : -b)
    }

    /// Adds `b` to `a`, as `a + b` does.
    public static func += (a: inout MediaTime, b: MediaTime) { a = a + b }
    /// Subtracts `b` from `a`, as `a - b` does.
    public static func -= (a: inout MediaTime, b: MediaTime) { a = a - b }

    /// Returns the negated time. Invalid and indefinite times are unchanged.
    public static prefix func - (time: MediaTime) -> MediaTime {
        switch time.kind {
        case .positiveInfinity: .negativeInfinity
        case .negativeInfinity: .positiveInfinity
        case .invalid, .indefinite: time
        case .numeric: zero(like: time) - time
        }
    }

    /// The distance from zero (CMTimeAbsoluteValue).
    public var magnitude: MediaTime {
        value < 0 || kind == .negativeInfinity ? -self : self
    }

    private var isInfinite: Bool { kind == .positiveInfinity || kind == .negativeInfinity }

    private static func sumWithoutNumber(_ a: MediaTime, _ b: MediaTime) -> MediaTime {
        if !a.isValid || !b.isValid { return .invalid }
        if a.isInfinite { return b.isInfinite && a.kind != b.kind ? .invalid : a }
        return b.isInfinite ? b : .indefinite
    }

    private static func zero(like time: MediaTime) -> MediaTime {
        MediaTime(value: 0, timescale: time.timescale)
    }

    /// Returns `a + sign * b` for numeric times.
    private static func added(_ a: MediaTime, _ b: MediaTime, sign: Int64) -> MediaTime {
        let rounded = a.hasBeenRounded || b.hasBeenRounded
        let divisor = Int64(greatestCommonDivisor(a.timescale.magnitude, b.timescale.magnitude))
        let aFactor = Int64(b.timescale) / divisor
        let bFactor = Int64(a.timescale) / divisor
        let multiple = Int64(a.timescale) * aFactor
        if multiple <= Int64(Int32.max) {
            let (left, leftOverflow) = a.value.multipliedReportingOverflow(by: aFactor)
            let (right, rightOverflow) = b.value.multipliedReportingOverflow(by: bFactor * sign)
            let (sum, overflow) = left.addingReportingOverflow(right)
            if !leftOverflow, !rightOverflow, !overflow {
                return MediaTime(value: sum, timescale: Int32(clamping: multiple), hasBeenRounded: rounded)
            }
        }
        // Each product is below 2^94, so the sum is below 2^95.
        let sum = Int128(a.value) * Int128(aFactor) + Int128(b.value) * Int128(bFactor * sign)
        let exact = ExactSeconds(
            isNegative: sum < 0,
            numerator: sum.magnitude,
            denominator: UInt128(multiple.magnitude)
        )
        return exact.time(timescale: Int32(clamping: multiple), hasBeenRounded: rounded)
    }
}

/// Returns the distance of a time from zero.
public func abs(_ time: MediaTime) -> MediaTime { time.magnitude }
