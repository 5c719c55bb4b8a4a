/// Sums (CMTimeAdd, CMTimeSubtract). The result has the common timescale, or the least common multiple of
/// the two held at `Int32.max`; what then does not fit is rounded to half the timescale, again and again.
///
/// Without numbers: invalid beats all, opposite infinities cancel to invalid, an infinity beats the rest, and
/// indefinite beats numbers.
extension MediaTime {
    /// CMTimeAdd: exact, or marked as rounded where no timescale holds the sum.
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

    /// CMTimeSubtract: exact, or marked as rounded where no timescale holds the difference.
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
        // Only the kinds count from here, so a number needs no turning (and Int64.min could not be turned).
        return sumWithoutNumber(a, b.isNumeric ? b : -b)
    }

    /// Adds `b` in place, as `a + b` does.
    public static func += (a: inout MediaTime, b: MediaTime) { a = a + b }
    /// Takes `b` away in place, as `a - b` does.
    public static func -= (a: inout MediaTime, b: MediaTime) { a = a - b }

    /// Invalid and indefinite times stay what they are.
    public static prefix func - (time: MediaTime) -> MediaTime {
        switch time.kind {
        case .positiveInfinity: .negativeInfinity
        case .negativeInfinity: .positiveInfinity
        case .invalid, .indefinite: time
        case .numeric: zero(like: time) - time
        }
    }

    /// CMTimeAbsoluteValue.
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

    /// `a + sign * b` of numbers.
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
        // Each product is below 2^94, and so the sum below 2^95.
        let sum = Int128(a.value) * Int128(aFactor) + Int128(b.value) * Int128(bFactor * sign)
        let exact = ExactSeconds(
            isNegative: sum < 0,
            numerator: sum.magnitude,
            denominator: UInt128(multiple.magnitude)
        )
        return exact.time(timescale: Int32(clamping: multiple), hasBeenRounded: rounded)
    }
}

/// The distance from zero.
public func abs(_ time: MediaTime) -> MediaTime { time.magnitude }
