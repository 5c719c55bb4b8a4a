/// A fraction of seconds that no time can hold yet: what the arithmetic of times makes before it rounds,
/// once and only here.
struct ExactSeconds {
    var isNegative: Bool
    /// Below 2^127.
    var numerator: UInt128
    /// Positive, below 2^127.
    var denominator: UInt128

    /// Whole ticks of `timescale`, which must be positive; nil when they do not fit. `roundsUp` is asked, for
    /// what is not whole, whether the magnitude grows.
    func ticks(
        timescale: Int32,
        roundsUp: (_ quotient: UInt128, _ remainder: UInt128) -> Bool
    ) -> (value: Int64, isExact: Bool)? {
        let product = numerator.multipliedFullWidth(by: UInt128(timescale.magnitude))
        var (quotient, remainder): (UInt128, UInt128)
        if product.high == 0 {
            (quotient, remainder) = product.low.quotientAndRemainder(dividingBy: denominator)
        } else if product.high < denominator {
            (quotient, remainder) = denominator.dividingFullWidth((product.high, product.low))
        } else {
            return nil
        }
        if remainder != 0, roundsUp(quotient, remainder) {
            quotient &+= 1
            if quotient == 0 { return nil }
        }
        guard let magnitude = UInt64(exactly: quotient) else { return nil }
        guard let value = Int64(magnitude: magnitude, isNegative: isNegative) else { return nil }
        return (value, remainder == 0)
    }

    /// Half away from zero: "default rounding" in CMTime's header.
    func ticks(timescale: Int32) -> (value: Int64, isExact: Bool)? {
        ticks(timescale: timescale) { _, remainder in remainder >= denominator - remainder }
    }

    /// The time in ticks of `timescale` or, where that overflows, of its half, its quarter ...; infinite where
    /// not even whole seconds fit (CMTimeAdd, CMTimeMakeWithSeconds).
    func time(timescale: Int32, hasBeenRounded: Bool) -> MediaTime {
        var timescale = timescale
        while timescale > 0 {
            if let (value, isExact) = ticks(timescale: timescale) {
                return MediaTime(
                    value: value,
                    timescale: timescale,
                    hasBeenRounded: hasBeenRounded || !isExact
                )
            }
            timescale /= 2
        }
        return .infinity(isNegative: isNegative)
    }
}

extension Int64 {
    /// nil when the number does not fit.
    init?(magnitude: UInt64, isNegative: Bool) {
        if !isNegative {
            self.init(exactly: magnitude)
        } else if magnitude <= Int64.min.magnitude {
            self = Int64(truncatingIfNeeded: 0 &- magnitude)
        } else {
            return nil
        }
    }
}
