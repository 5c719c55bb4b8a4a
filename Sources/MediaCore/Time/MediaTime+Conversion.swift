extension MediaTime {
    /// The direction in which a time is rounded to whole ticks (CMTimeRoundingMethod).
    public enum RoundingMethod: Hashable, Sendable, CaseIterable {
        /// To the nearest tick; a half is rounded away from zero.
        case roundHalfAwayFromZero
        /// Down for positive times, up for negative ones.
        case roundTowardZero
        /// Up for positive times, down for negative ones.
        case roundAwayFromZero
        /// Toward zero for a coarser timescale, and away from zero for a finer one. A negative time never becomes
        /// zero.
        case quickTime
        /// To the later tick.
        case roundTowardPositiveInfinity
        /// To the earlier tick.
        case roundTowardNegativeInfinity

        /// Half away from zero, as kCMTimeRoundingMethod_Default.
        public static let `default` = RoundingMethod.roundHalfAwayFromZero
    }

    /// Creates the time nearest to a number of seconds (CMTimeMakeWithSeconds).
    ///
    /// If the ticks do not fit, the timescale is halved repeatedly; a time that still does not fit is infinite. The
    /// result is marked as rounded unless its `seconds` equal the argument. It is invalid if `seconds` is NaN or the
    /// timescale is not positive.
    ///
    /// - Parameters:
    ///   - seconds: The time in seconds.
    ///   - preferredTimescale: Ticks per second.
    public init(seconds: Double, preferredTimescale: Int32) {
        self = .invalid
        guard preferredTimescale > 0, !seconds.isNaN else { return }
        let isNegative = seconds < 0
        let binary = BinaryFraction(seconds.isFinite ? seconds.magnitude : 0)
        guard seconds.isFinite, binary.exponent < 64 else {
            self = .infinity(isNegative: isNegative)
            return
        }
        // The significand is odd and has 53 bits, so this is below 2^-73 seconds: zero in every timescale.
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

    /// Returns the time of a number of seconds, to the nearest flick (1/705,600,000 s).
    ///
    /// Milliseconds, the sample rates of audio, and the times of frames at 24, 25, 30, 50, 60 and 120 frames a second
    /// and at their 1000/1001 are whole flicks. So the `seconds` of such a time lead back to the same time.
    ///
    /// - Parameter seconds: The time in seconds.
    /// - Returns: The time, marked as rounded unless its `seconds` equal the argument. It is invalid if `seconds` is
    ///   NaN, and infinite beyond the range of a `MediaTime`.
    public static func seconds(_ seconds: Double) -> MediaTime {
        MediaTime(seconds: seconds, preferredTimescale: 705_600_000)
    }

    /// Returns the time of a number of milliseconds, exactly.
    ///
    /// - Parameter milliseconds: The time in milliseconds.
    public static func milliseconds(_ milliseconds: Int64) -> MediaTime {
        MediaTime(value: milliseconds, timescale: 1000)
    }

    /// Creates a time from a duration, in nanoseconds. Fractions of a nanosecond are rounded, and so are durations of
    /// more than 292 years.
    ///
    /// - Parameter duration: The duration.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let total = Int128(seconds) * 1_000_000_000_000_000_000 + Int128(attoseconds)
        let exact = ExactSeconds(
            isNegative: total < 0,
            numerator: total.magnitude,
            denominator: 1_000_000_000_000_000_000
        )
        self = exact.time(timescale: 1_000_000_000, hasBeenRounded: false)
    }

    /// Creates a time from a number of nanoseconds, exactly.
    public init(nanoseconds: Int64) {
        self.init(value: nanoseconds, timescale: 1_000_000_000)
    }

    /// Creates the time since the origin of the host clock, exactly.
    public init(_ hostTime: HostTime) {
        self.init(nanoseconds: hostTime.nanoseconds)
    }

    /// The time in seconds: NaN if it is invalid or indefinite, and infinite if it is an infinity.
    public var seconds: Double {
        switch kind {
        case .numeric: Double(value) / Double(timescale)
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .invalid, .indefinite: .nan
        }
    }

    /// The time in nanoseconds, rounded half away from zero and clamped to the limits of Int64; nil if it is not
    /// numeric.
    public var nanoseconds: Int64? {
        guard isNumeric else { return nil }
        let perSecond: Int32 = 1_000_000_000
        if timescale == perSecond { return value }
        let (product, overflow) = value.multipliedReportingOverflow(by: Int64(perSecond))
        if !overflow {
            let scale = Int64(timescale)
            let (quotient, remainder) = product.quotientAndRemainder(dividingBy: scale)
            if 2 * remainder.magnitude < scale.magnitude { return quotient }
            // A timescale of 1 leaves no remainder, so adding 1 cannot overflow.
            return product < 0 ? quotient - 1 : quotient + 1
        }
        guard let (ticks, _) = exactSeconds.ticks(timescale: perSecond) else {
            return value < 0 ? .min : .max
        }
        return ticks
    }

    /// Returns the same time in ticks of another timescale (CMTimeConvertScale).
    ///
    /// - Parameters:
    ///   - timescale: Ticks per second of the result.
    ///   - method: The direction in which a time between two ticks is rounded.
    /// - Returns: The converted time, exact or marked as rounded. It is infinite if the ticks do not fit, and invalid
    ///   if `timescale` is not positive. A time that is not numeric is returned unchanged.
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

    /// Returns the time in ticks of another timescale; renamed to `rescaled(to:rounding:)`.
    @available(*, deprecated, renamed: "rescaled(to:rounding:)")
    public func rescale(to timescale: Int32, rounding method: RoundingMethod = .default) -> MediaTime {
        rescaled(to: timescale, rounding: method)
    }

    /// The fraction of a numeric time.
    private var exactSeconds: ExactSeconds {
        ExactSeconds(
            isNegative: value < 0,
            numerator: UInt128(value.magnitude),
            denominator: UInt128(max(1, timescale).magnitude)
        )
    }
}
