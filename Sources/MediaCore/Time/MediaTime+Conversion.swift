extension MediaTime {
    /// How what does not fit into whole ticks is rounded (CMTimeRoundingMethod).
    public enum RoundingMethod: Hashable, Sendable, CaseIterable {
        /// To the nearest tick; a half goes away from zero.
        case roundHalfAwayFromZero
        /// Down for positive times, up for negative ones.
        case roundTowardZero
        /// Up for positive times, down for negative ones.
        case roundAwayFromZero
        /// Toward zero for a coarser timescale, away from zero for a finer one; a negative time never becomes
        /// zero.
        case quickTime
        /// To the later tick.
        case roundTowardPositiveInfinity
        /// To the earlier tick.
        case roundTowardNegativeInfinity

        /// Half away from zero, as kCMTimeRoundingMethod_Default.
        public static let `default` = RoundingMethod.roundHalfAwayFromZero
    }

    /// The nearest time to `seconds` in ticks of `preferredTimescale`, or of its half, its quarter ... where
    /// that overflows; infinite beyond that, and invalid for NaN and timescales that are not positive
    /// (CMTimeMakeWithSeconds). Marked as rounded unless `self.seconds == seconds`.
    public init(seconds: Double, preferredTimescale: Int32) {
        self = .invalid
        guard preferredTimescale > 0, !seconds.isNaN else { return }
        let isNegative = seconds < 0
        let binary = BinaryFraction(seconds.isFinite ? seconds.magnitude : 0)
        guard seconds.isFinite, binary.exponent < 64 else {
            self = .infinity(isNegative: isNegative)
            return
        }
        // An odd significand of 53 bits: below 2^-73 seconds, nothing to be seen in any timescale.
        let isTiny = binary.exponent < -126
        let exact = ExactSeconds(
            isNegative: isNegative,
            numerator: isTiny ? 0 : UInt128(binary.significand) << UInt128(max(0, binary.exponent)),
            denominator: isTiny ? 1 : 1 << UInt128(max(0, -binary.exponent))
        )
        let time = exact.time(timescale: preferredTimescale, hasBeenRounded: false)
        guard time.isNumeric else {
            self = time
            return
        }
        let isRounded = time.seconds != seconds
        self.init(value: time.value, timescale: time.timescale, hasBeenRounded: isRounded)
    }

    /// Exact.
    public init(nanoseconds: Int64) {
        self.init(value: nanoseconds, timescale: 1_000_000_000)
    }

    /// The time since the host clock's own origin, exact.
    public init(_ hostTime: HostTime) {
        self.init(nanoseconds: hostTime.nanoseconds)
    }

    /// Seconds; NaN for invalid and indefinite times, else infinite for the infinities.
    public var seconds: Double {
        switch kind {
        case .numeric: Double(value) / Double(timescale)
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .invalid, .indefinite: .nan
        }
    }

    /// Nanoseconds, rounded half away from zero, held at the ends of Int64; nil when not numeric.
    public var nanoseconds: Int64? {
        guard isNumeric else { return nil }
        let perSecond: Int32 = 1_000_000_000
        if timescale == perSecond { return value }
        let (product, overflow) = value.multipliedReportingOverflow(by: Int64(perSecond))
        if !overflow {
            let scale = Int64(timescale)
            let (quotient, remainder) = product.quotientAndRemainder(dividingBy: scale)
            if 2 * remainder.magnitude < scale.magnitude { return quotient }
            // A timescale of 1 leaves no remainder, so there is room for one more.
            return product < 0 ? quotient - 1 : quotient + 1
        }
        guard let (ticks, _) = exactSeconds.ticks(timescale: perSecond) else {
            return value < 0 ? .min : .max
        }
        return ticks
    }

    /// The same time in ticks of another timescale (CMTimeConvertScale): exact or marked as rounded. Infinite
    /// where the ticks do not fit, invalid when `timescale` is not positive; other times without a number
    /// stay what they are.
    public func rescaled(to timescale: Int32, rounding method: RoundingMethod = .default) -> MediaTime {
        guard isNumeric else { return self }
        guard timescale > 0 else { return .invalid }
        if timescale == self.timescale { return self }
        let exact = exactSeconds
        let isCoarser = timescale < self.timescale
        let converted = exact.ticks(timescale: timescale) { quotient, remainder in
            switch method {
            case .roundHalfAwayFromZero: remainder >= exact.denominator - remainder
            case .roundTowardZero: false
            case .roundAwayFromZero: true
            case .quickTime: !isCoarser || (exact.isNegative && quotient == 0)
            case .roundTowardPositiveInfinity: !exact.isNegative
            case .roundTowardNegativeInfinity: exact.isNegative
            }
        }
        guard let (value, isExact) = converted else { return .infinity(isNegative: exact.isNegative) }
        return MediaTime(value: value, timescale: timescale, hasBeenRounded: hasBeenRounded || !isExact)
    }

    /// Returns the time in ticks of another timescale. Renamed to `rescaled(to:rounding:)`.
    @available(*, deprecated, renamed: "rescaled(to:rounding:)")
    public func rescale(to timescale: Int32, rounding method: RoundingMethod = .default) -> MediaTime {
        rescaled(to: timescale, rounding: method)
    }

    /// A numeric time's fraction.
    private var exactSeconds: ExactSeconds {
        ExactSeconds(
            isNegative: value < 0,
            numerator: UInt128(value.magnitude),
            denominator: UInt128(max(1, timescale).magnitude)
        )
    }
}
