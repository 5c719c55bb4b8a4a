/// Products (CMTimeMultiply, CMTimeMultiplyByRatio, CMTimeMultiplyByFloat64).
///
/// Times that are not numeric follow these rules: an invalid time stays invalid; an indefinite time stays indefinite;
/// an infinity takes the sign of the product; an infinity times zero is invalid.
extension MediaTime {
    /// Returns the product with a whole number. The timescale is kept unless the product overflows.
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

    /// Returns the product with a whole number, written with the factor first.
    public static func * (factor: Int, time: MediaTime) -> MediaTime { time * factor }

    /// Returns the quotient, as `multiplied(by: 1, over: divisor)`: exact if possible, and infinite if the divisor is
    /// zero.
    public static func / (time: MediaTime, divisor: Int) -> MediaTime {
        time.multiplied(by: 1, over: Int64(divisor))
    }

    /// Returns the product with a fraction.
    ///
    /// The result is exact if any timescale can hold it, preferably the current one; otherwise it is rounded to the
    /// finest timescale.
    ///
    /// - Parameters:
    ///   - multiplier: The numerator of the fraction.
    ///   - divisor: The denominator of the fraction. A zero makes the result infinite, or invalid if the product is
    ///     zero, too.
    /// - Returns: The product.
    public func multiplied(by multiplier: Int64, over divisor: Int64) -> MediaTime {
        guard multiplier != 0 || divisor != 0 else { return .invalid }
        guard isNumeric else {
            return product(sign: multiplier == 0 ? 0 : ((multiplier < 0) == (divisor < 0) ? 1 : -1))
        }
        let isNegative = ((value < 0) != (multiplier < 0)) != (divisor < 0)
        if divisor == 0 { return value == 0 ? .invalid : .infinity(isNegative: isNegative) }
        // The numerator is at most 2^126, and the denominator is below 2^94.
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

    /// Returns the product with a floating-point factor, rounded to a timescale of at least 65536 that is a multiple
    /// of the current one. The result is invalid if the factor is NaN.
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
            // A larger exponent makes the product larger than every time: 2^127 / 2^31 seconds.
            guard binary.exponent < numerator.leadingZeroBitCount else {
                return .infinity(isNegative: isNegative)
            }
            return ExactSeconds(
                isNegative: isNegative,
                numerator: numerator << UInt128(binary.exponent),
                denominator: UInt128(scale.magnitude)
            ).time(timescale: finer, hasBeenRounded: time.hasBeenRounded)
        }
        // A denominator of more than 95 bits would not fit. The lowest bits of such a small factor are worth less
        // than 2^-32 ticks of the current timescale, so they are dropped.
        let shift = -binary.exponent
        let excess = max(0, shift - 95)
        return ExactSeconds(
            isNegative: isNegative,
            numerator: numerator >> UInt128(excess),
            denominator: UInt128(scale.magnitude) << UInt128(shift - excess)
        ).time(timescale: finer, hasBeenRounded: time.hasBeenRounded || excess > 0)
    }

    /// Returns the product with a floating-point factor, written with the factor first.
    public static func * (factor: Double, time: MediaTime) -> MediaTime { time * factor }

    /// Returns the product of a time that is not numeric with a factor of the given sign.
    private func product(sign: Int) -> MediaTime {
        switch kind {
        case .positiveInfinity, .negativeInfinity: sign == 0 ? .invalid : (sign < 0 ? -self : self)
        case .invalid, .indefinite, .numeric: self
        }
    }
}

/// A finite, nonnegative `Double` as `significand * 2^exponent`. The significand is odd, or zero.
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
