extension MediaTime {
    /// Returns this time carried over from one range to another (CMTimeMapTimeFromRangeToRange).
    ///
    /// The start of `source` maps to the start of `target`, and the end to the end. Times outside `source` continue on
    /// the same line.
    ///
    /// - Parameters:
    ///   - source: The range that this time is relative to.
    ///   - target: The range to map into.
    /// - Returns: The mapped time; `.invalid` if `source` is empty, or if this time or either range is not numeric.
    public func mapped(from source: MediaTimeRange, to target: MediaTimeRange) -> MediaTime {
        guard source.isNumeric, target.isNumeric, isNumeric else { return .invalid }
        return target.start + (self - source.start).mappedAsDuration(from: source, to: target)
    }

    /// Returns this duration scaled by the ratio of two ranges' durations (CMTimeMapDurationFromRangeToRange).
    ///
    /// - Parameters:
    ///   - source: The range that this duration is measured in.
    ///   - target: The range to scale to.
    /// - Returns: The scaled duration; `.invalid` if `source` is empty, or if this duration or either range is not
    ///   numeric.
    public func mappedAsDuration(from source: MediaTimeRange, to target: MediaTimeRange) -> MediaTime {
        guard source.isNumeric, target.isNumeric, isNumeric, !source.isEmpty else { return .invalid }
        if source.duration == target.duration { return self }
        // Both are below 2^94. If they do not fit into 63 bits, both lose the same number of low bits.
        var over = UInt128(source.duration.value.magnitude) * UInt128(target.duration.timescale.magnitude)
        var by = UInt128(target.duration.value.magnitude) * UInt128(source.duration.timescale.magnitude)
        let common = greatestCommonDivisor(over, by)
        over /= common
        by /= common
        let excess = UInt128(max(0, 65 - min(over.leadingZeroBitCount, by.leadingZeroBitCount)))
        let product = multiplied(
            by: Int64(clamping: by >> excess),
            over: Int64(clamping: max(1, over >> excess))
        )
        guard excess > 0, product.isNumeric else { return product }
        return MediaTime(value: product.value, timescale: product.timescale, hasBeenRounded: true)
    }
}

extension MediaTimeRange {
    /// Returns `time` shifted into the range by a whole number of durations (CMTimeFoldIntoRange).
    ///
    /// Use it to find the time within one pass of a loop. `end` folds to `start`.
    ///
    /// - Parameter time: The time to fold.
    /// - Returns: A time inside the range; `.invalid` if the range is empty, or if the range or `time` is not valid. If
    ///   the range has no end, later times are unchanged and earlier times become `start`.
    public func folded(_ time: MediaTime) -> MediaTime {
        guard isValid, !isEmpty, time.isValid else { return .invalid }
        if contains(time) { return time }
        guard start.isNumeric, time.isNumeric else { return .invalid }
        guard duration.isNumeric else { return max(start, time) }
        let offset = time - start
        guard offset.isNumeric else { return .invalid }
        let folded = start + offset.remainder(dividingBy: duration)
        // Rounding may have moved it to the end.
        return contains(folded) ? folded : start
    }

    fileprivate var isNumeric: Bool { isValid && start.isNumeric && duration.isNumeric }
}

extension MediaTime {
    /// Returns the remainder of a numeric time divided by `divisor`, which is positive: at least zero, and less than
    /// `divisor`.
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
