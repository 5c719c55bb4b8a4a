import MediaCore

extension Rational {
    /// The largest error of a time that a container with this time base has rounded: half of a tick. It is zero for long
    /// ticks, which are the durations of frames, as in AVI.
    var roundingError: MediaTime {
        guard isPositive, numerator <= denominator / 500, denominator <= .max / 2 else { return .zero }
        return MediaTime(value: Int64(numerator), timescale: 2 * denominator)
    }
}
