internal import MediaCore

/// A clock that converts the times of frames to whole frames at the nominal rate.
///
/// It rounds as the `ffmpeg` command (5.1) does for a raw video encoder with `-fps_mode passthrough -copyts`.
struct FrameRateClock: Sendable {
    /// The duration of a frame in seconds.
    let timeBase: Rational
    /// The latest tick of one pass through the media. A muxer accepts no decreasing times.
    private var latest: (ticks: Int64, epoch: Epoch, pass: Int)?

    /// Creates a clock with a reduced time base; 25 frames per second if `frameRate` is unknown.
    init(frameRate: Rational?) {
        let rate = frameRate.flatMap { $0.isPositive ? $0 : nil } ?? Rational(25, 1)
        var (a, b) = (rate.numerator, rate.denominator)
        while b != 0 { (a, b) = (b, a % b) }
        timeBase = Rational(rate.denominator / a, rate.numerator / a)
    }

    /// Returns the time of a frame in frames: from the container's timestamp or, if there is none, from the item's
    /// timeline.
    mutating func ticks(of frame: VideoFrame) -> Int64 {
        var ticks = latest?.ticks ?? 0
        let source = frame.sourceTime
        if let stamp = source.ticks, source.timeBase.isPositive {
            ticks = self.ticks(stamp, source.timeBase)
        } else if frame.presentationTime.isNumeric {
            let time = frame.presentationTime
            ticks = self.ticks(time.value, Rational(1, time.timescale))
        }
        // During reverse playback, times decrease and are written as they are.
        if !frame.isReversed, let latest, latest.epoch == frame.epoch, latest.pass == frame.pass {
            ticks = max(ticks, latest.ticks)
        }
        latest = (ticks, frame.epoch, frame.pass)
        return ticks
    }

    /// Returns a timestamp in frames.
    ///
    /// The time is first rounded to the nearest of up to 2^16 parts of a frame (half away from zero), as many as keep
    /// the denominator below 2^30. It is then moved away from zero by 2^-17 of a frame and rounded to the nearest
    /// frame.
    private func ticks(_ stamp: Int64, _ base: Rational) -> Int64 {
        let log2 = 31 - timeBase.denominator.leadingZeroBitCount
        let extraBits = min(max(29 - log2, 0), 16)
        // The product is below 2^63 * 2^31 * 2^31.
        let partsPerSecond = Int128(timeBase.denominator) << Int128(extraBits)
        let numerator = Int128(stamp) * Int128(base.numerator) * partsPerSecond
        let denominator = Int128(base.denominator) * Int128(timeBase.numerator)
        let half = Int128(denominator / 2)
        let parts = (numerator < 0 ? numerator - half : numerator + half) / denominator
        let frames = Double(Int64(clamping: parts)) / Double(Int64(1) << Int64(extraBits))
        let nudged = frames + (frames > 0 ? 0x1p-17 : -0x1p-17)
        let rounded = nudged.rounded(.toNearestOrEven)
        return Int64(exactly: rounded) ?? (rounded < 0 ? .min : .max)
    }
}
