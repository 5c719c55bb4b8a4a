internal import CFFmpeg
internal import MediaCore

extension AVRational {
    var rational: Rational { Rational(num, den) }
    /// Only such a fraction may be handed to libav's rescaling, which asserts.
    var isPositive: Bool { num > 0 && den > 0 }
}

extension Rational {
    var avRational: AVRational { AVRational(num: numerator, den: denominator) }
}

/// Ticks of libav's, nil for its "no time stamp".
func ticks(_ value: Int64) -> Int64? { value == PH_NOPTS ? nil : value }

/// Lays the item's timeline over one track's ticks: exact wherever the time bases allow.
struct TimeMapping: Sendable {
    /// Seconds per tick; always positive.
    let timeBase: Rational
    /// The container's time that is zero on the item's timeline.
    let zero: MediaTime
    /// `zero` in ticks where that is a whole number.
    private let zeroTicks: Int64?

    init(timeBase: AVRational, zero: MediaTime) {
        self.timeBase = timeBase.isPositive ? timeBase.rational : Rational(1, 1_000_000)
        self.zero = zero
        self.zeroTicks = TimeMapping.wholeTicks(zero, timeBase: self.timeBase)
    }

    /// The container's own time of a tick.
    func sourceTime(_ ticks: Int64) -> MediaTime {
        TimeMapping.time(ticks, timeBase: timeBase)
    }

    func itemTime(_ ticks: Int64) -> MediaTime {
        if let zeroTicks {
            let (difference, overflow) = ticks.subtractingReportingOverflow(zeroTicks)
            if !overflow { return sourceTime(difference) }
        }
        return sourceTime(ticks) - zero
    }

    /// nil for no time stamp and for what leaves Int64.
    func itemTime(_ ticks: Int64?) -> MediaTime? {
        guard let ticks else { return nil }
        let time = itemTime(ticks)
        return time.isNumeric ? time : nil
    }

    /// nil for unknown, which libav writes as 0.
    func duration(_ ticks: Int64) -> MediaTime? { ticks > 0 ? sourceTime(ticks) : nil }

    /// The last tick at or before an item time; held at the ends of Int64.
    func ticks(atOrBefore time: MediaTime) -> Int64 {
        guard time.isNumeric else { return time < .zero ? .min + 1 : .max }
        let sum = zeroTicks == 0 ? time : time + zero
        guard sum.isNumeric else { return sum < .zero ? .min + 1 : .max }
        return av_rescale_q_rnd(
            sum.value,
            AVRational(num: 1, den: sum.timescale),
            timeBase.avRational,
            AVRounding(rawValue: AV_ROUND_DOWN.rawValue)
        )
    }

    /// `ticks * timeBase` seconds; rounded to the time scale only where the product leaves Int64.
    static func time(_ ticks: Int64, timeBase: Rational) -> MediaTime {
        let (value, overflow) = ticks.multipliedReportingOverflow(by: Int64(timeBase.numerator))
        if !overflow { return MediaTime(value: value, timescale: timeBase.denominator) }
        return ticks < 0 ? .negativeInfinity : .positiveInfinity
    }

    /// A time in ticks, nil unless it is a whole number of them.
    private static func wholeTicks(_ time: MediaTime, timeBase: Rational) -> Int64? {
        guard time.isNumeric else { return nil }
        let (scaled, overflow) = time.value.multipliedReportingOverflow(by: Int64(timeBase.denominator))
        let divisor = Int64(time.timescale) * Int64(timeBase.numerator)
        guard !overflow, divisor > 0, scaled % divisor == 0 else { return nil }
        return scaled / divisor
    }
}
