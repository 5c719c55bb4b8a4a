/// Products (CMTimeMultiply, CMTimeMultiplyByRatio, CMTimeMultiplyByFloat64).
///
/// Without numbers: invalid stays invalid, indefinite stays indefinite, an infinity takes the sign of the
/// product, and an infinity times zero is invalid.
extension MediaTime {
    /// Keeps the timescale unless that overflows.
    public static func * (time: MediaTime, factor: Int) -> MediaTime {
        if time.isNumeric {
            let (value, overflow) = time.value.multipliedReportingOverflow(by: Int64(factor))
            if !overflow {
                return MediaTime(
                    value: value,
                    timescale: time.timescale,
                    hasBeenRounded: time.hasBeenRounded
                )
            }
        }
        return time.multiplied(by: Int64(factor), over: 1)
    }

    /// The same product with the factor in front.
    public static func * (factor: Int, time: MediaTime) -> MediaTime { time * factor }

    /// As `multiplied(by: 1, over: divisor)`: exact where it can be, infinite for a divisor of zero.
    public static func / (time: MediaTime, divisor: Int) -> MediaTime {
        time.multiplied(by: 1, over: Int64(divisor))
    }

    /// The exact product by a fraction if any timescale can hold it, the present one by preference; else
    /// rounded to the finest. x/0 is infinite, 0/0 invalid.
    public func multiplied(by multiplier: Int64, over divisor: Int64) -> MediaTime {
        guard multiplier != 0 || divisor != 0 else { return .invalid }
        guard isNumeric else {
            return product(sign: multiplier == 0 ? 0 : ((multiplier < 0) == (divisor < 0) ? 1 : -1))
        }
        let isNegative = ((value < 0) != (multiplier < 0)) != (divisor < 0)
        if divisor == 0 { return value == 0 ? .invalid : .infinity(isNegative: isNegative) }
        // numerator <= 2^126, denominator < 2^94
        var numerator = UInt128(value.magnitude) * UInt128(multiplier.magnitude)
        var divider = UInt128(divisor.magnitude)
        let common = greatestCommonDivisor(numerator, divider)
        numerator /= common
        divider /= common
        var denominator = divider * UInt128(timescale.magnitude)
        if denominator > UInt128(Int32.max.magnitude) {
            let common = greatestCommonDivisor(numerator, denominator)
            numerator /= common
            denominator /= common
        }
        return ExactSeconds(isNegative: isNegative, numerator: numerator, denominator: denominator)
            .time(timescale: Int32(clamping: denominator), hasBeenRounded: hasBeenRounded)
    }

    /// Rounded to a timescale of at least 65536 (a multiple of the present one). NaN makes it invalid.
    public static func * (time: MediaTime, factor: Double) -> MediaTime {
        guard time.isValid, !factor.isNaN else { return .invalid }
        guard time.isNumeric, factor.isFinite else {
            if time.isNumeric {
                if time.value == 0 { return .invalid }
                return .infinity(isNegative: (time.value < 0) != (factor < 0))
            }
            return time.product(sign: factor == 0 ? 0 : (factor < 0 ? -1 : 1))
        }
        let scale = Int64(time.timescale)
        let finer = Int32(clamping: scale * max(1, (65536 + scale - 1) / scale))
        let isNegative = (time.value < 0) != (factor < 0)
        let binary = BinaryFraction(factor.magnitude)
        let numerator = UInt128(time.value.magnitude) * UInt128(binary.significand)
        guard numerator != 0 else {
            return MediaTime(value: 0, timescale: finer, hasBeenRounded: time.hasBeenRounded)
        }
        if binary.exponent >= 0 {
            // What is cut off here is beyond any time: 2^127 / 2^31 seconds.
            guard binary.exponent < numerator.leadingZeroBitCount else {
                return .infinity(isNegative: isNegative)
            }
            return ExactSeconds(
                isNegative: isNegative,
                numerator: numerator << UInt128(binary.exponent),
                denominator: UInt128(scale.magnitude)
            ).time(timescale: finer, hasBeenRounded: time.hasBeenRounded)
        }
        // Past 95 bits the denominator would not fit: the lowest bits of so small a factor are worth less
        // than 2^-32 ticks of the present timescale, and go.
        let shift = -binary.exponent
        let excess = max(0, shift - 95)
        return ExactSeconds(
            isNegative: isNegative,
            numerator: numerator >> UInt128(excess),
            denominator: UInt128(scale.magnitude) << UInt128(shift - excess)
        ).time(timescale: finer, hasBeenRounded: time.hasBeenRounded || excess > 0)
    }

    /// The same product with the factor in front.
    public static func * (factor: Double, time: MediaTime) -> MediaTime { time * factor }

    /// A time without a number times something of this sign.
    private func product(sign: Int) -> MediaTime {
        switch kind {
        case .positiveInfinity, .negativeInfinity: sign == 0 ? .invalid : (sign < 0 ? -self : self)
        case .invalid, .indefinite, .numeric: self
        }
    }
}

/// A finite, positive `Double` as `significand * 2^exponent`, the significand odd (or zero).
struct BinaryFraction {
    var significand: UInt64
    var exponent: Int

    init(_ number: Double) {
        guard number != 0 else {
            (significand, exponent) = (0, 0)
            return
        }
        let bits = number.isNormal ? number.significandBitPattern | 1 << 52 : number.significandBitPattern
        let scale = number.isNormal ? Int(number.exponent) - 52 : -1074
        let zeros = bits.trailingZeroBitCount
        significand = bits >> UInt64(zeros)
        exponent = scale + zeros
    }
}
