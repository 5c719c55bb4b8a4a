extension MediaTimeRange {
    /// The time that lies to `target` as `time` lies to `source`: start on start, end on end, and on the same
    /// line outside (CMTimeMapTimeFromRangeToRange). Invalid when `source` is empty or anything has no number.
    public static func map(
        _ time: MediaTime,
        from source: MediaTimeRange,
        to target: MediaTimeRange
    ) -> MediaTime {
        guard source.isNumeric, target.isNumeric, time.isNumeric else { return .invalid }
        return target.start + mapDuration(time - source.start, from: source, to: target)
    }

    /// A length of time stretched as `source` is stretched to `target` (CMTimeMapDurationFromRangeToRange).
    /// Invalid when `source` is empty or anything has no number.
    public static func mapDuration(
        _ duration: MediaTime,
        from source: MediaTimeRange,
        to target: MediaTimeRange
    ) -> MediaTime {
        guard source.isNumeric, target.isNumeric, duration.isNumeric, !source.isEmpty else { return .invalid }
        if source.duration == target.duration { return duration }
        // Both below 2^94; what does not fit into 63 bits loses its lowest ones, in both alike.
        var over = UInt128(source.duration.value.magnitude) * UInt128(target.duration.timescale.magnitude)
        var by = UInt128(target.duration.value.magnitude) * UInt128(source.duration.timescale.magnitude)
        let common = greatestCommonDivisor(over, by)
        over /= common
        by /= common
        let excess = UInt128(max(0, 65 - min(over.leadingZeroBitCount, by.leadingZeroBitCount)))
        let product = duration.multiplied(
            by: Int64(clamping: by >> excess),
            over: Int64(clamping: max(1, over >> excess))
        )
        guard excess > 0, product.isNumeric else { return product }
        return MediaTime(value: product.value, timescale: product.timescale, hasBeenRounded: true)
    }

    /// `time` brought into the range by whole durations, as the moment within a pass of a loop
    /// (CMTimeFoldIntoRange): `end` becomes `start`. Invalid when the range is empty or either is not valid.
    /// A range without an end folds nothing: times before it become its start.
    public func folding(_ time: MediaTime) -> MediaTime {
        guard isValid, !isEmpty, time.isValid else { return .invalid }
        if contains(time) { return time }
        guard start.isNumeric, time.isNumeric else { return .invalid }
        guard duration.isNumeric else { return max(start, time) }
        let offset = time - start
        guard offset.isNumeric else { return .invalid }
        let folded = start + offset.remainder(dividingBy: duration)
        // Rounding may have carried it onto the end.
        return contains(folded) ? folded : start
    }

    private var isNumeric: Bool { isValid && start.isNumeric && duration.isNumeric }
}

extension MediaTime {
    /// What is left of a numeric time after whole `divisor`s, which must be positive: from zero to below it.
    fileprivate func remainder(dividingBy divisor: MediaTime) -> MediaTime {
        let common = greatestCommonDivisor(timescale.magnitude, divisor.timescale.magnitude)
        let factor = Int128(divisor.timescale) / Int128(common)
        let ticks = Int128(value) * factor
        let period = Int128(divisor.value) * (Int128(timescale) / Int128(common))
        let scale = Int128(timescale) * factor
        let truncated = ticks % period
        let remainder = truncated < 0 ? truncated + period : truncated
        let exact = ExactSeconds(
            isNegative: false,
            numerator: remainder.magnitude,
            denominator: scale.magnitude
        )
        let rounded = hasBeenRounded || divisor.hasBeenRounded
        return exact.time(timescale: Int32(clamping: scale), hasBeenRounded: rounded)
    }
}
