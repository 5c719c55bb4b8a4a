/// An exact fraction of seconds that may not fit into a `MediaTime`. The arithmetic of times produces it, and
/// rounding happens once, here.
struct ExactSeconds {
    var isNegative: Bool
    /// Less than 2^127.
    var numerator: UInt128
    /// Positive, and less than 2^127.
    var denominator: UInt128

    /// Returns the time in whole ticks of a timescale.
    ///
    /// - Parameters:
    ///   - timescale: Ticks per second; must be positive.
    ///   - roundsUp: Called if the result is not whole. Returns whether the magnitude is rounded up.
    /// - Returns: The ticks and whether they are exact; nil if they do not fit.
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

    /// Returns the time in whole ticks, rounded half away from zero: "default rounding" in CMTime's header.
    func ticks(timescale: Int32) -> (value: Int64, isExact: Bool)? {
        ticks(timescale: timescale) { _, remainder in remainder >= denominator - remainder }
    }

    /// Returns the time in ticks of `timescale`, which is halved repeatedly if the ticks do not fit. The result is
    /// infinite if not even whole seconds fit (CMTimeAdd, CMTimeMakeWithSeconds).
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
    /// Creates a number from its magnitude and sign. Returns nil if it does not fit.
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
