internal import CFFmpeg
internal import MediaCore

extension AVRational {
    var rational: Rational { Rational(num, den) }
    /// Whether both terms are positive. libav's rescaling functions abort on other values.
    var isPositive: Bool { num > 0 && den > 0 }
}

extension Rational {
    var avRational: AVRational { AVRational(num: numerator, den: denominator) }
}

/// Returns libav's ticks, or nil for its "no timestamp" value.
func ticks(_ value: Int64) -> Int64? { value == PH_NOPTS ? nil : value }

/// A mapping between the ticks of a track and the item's timeline. It is exact wherever the time bases allow it.
struct TimeMapping: Sendable {
    /// The seconds per tick, which are always positive.
    let timeBase: Rational
    /// The container time that corresponds to zero on the item's timeline.
    let zero: MediaTime
    /// `zero` in ticks, if that is a whole number.
    private let zeroTicks: Int64?

    init(timeBase: AVRational, zero: MediaTime) {
        self.timeBase = timeBase.isPositive ? timeBase.rational : Rational(1, 1_000_000)
        self.zero = zero
        self.zeroTicks = TimeMapping.wholeTicks(zero, timeBase: self.timeBase)
    }

    /// Returns the container time of a tick.
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

    /// Returns the item time of a tick, or nil if there is no timestamp or the time does not fit in Int64.
    func itemTime(_ ticks: Int64?) -> MediaTime? {
        guard let ticks else { return nil }
        let time = itemTime(ticks)
        return time.isNumeric ? time : nil
    }

    /// Returns the duration of a number of ticks, or nil if it is unknown, which libav represents as 0.
    func duration(_ ticks: Int64) -> MediaTime? { ticks > 0 ? sourceTime(ticks) : nil }

    /// Returns the last tick at or before an item time, clamped to the range of Int64.
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

    /// Returns `ticks * timeBase` seconds. If the product does not fit in Int64, the result is infinite.
    static func time(_ ticks: Int64, timeBase: Rational) -> MediaTime {
        let (value, overflow) = ticks.multipliedReportingOverflow(by: Int64(timeBase.numerator))
        if !overflow { return MediaTime(value: value, timescale: timeBase.denominator) }
        return ticks < 0 ? .negativeInfinity : .positiveInfinity
    }

    /// Returns a time in ticks, or nil if it is not a whole number of ticks.
    private static func wholeTicks(_ time: MediaTime, timeBase: Rational) -> Int64? {
        guard time.isNumeric else { return nil }
        let (scaled, overflow) = time.value.multipliedReportingOverflow(by: Int64(timeBase.denominator))
        let divisor = Int64(time.timescale) * Int64(timeBase.numerator)
        guard !overflow, divisor > 0, scaled % divisor == 0 else { return nil }
        return scaled / divisor
    }
}
