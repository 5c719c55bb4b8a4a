/// A playback rate as a whole number of millionths, so that times are computed in integers.
package struct PlaybackRate: Hashable, Sendable {
    package let millionths: Int64

    /// Creates a rate. The public API specifies the range -32...32: values outside are clamped, and NaN becomes 0.
    package init(_ rate: Float) {
        guard !rate.isNaN else {
            millionths = 0
            return
        }
        millionths = Int64((Double(max(-32, min(32, rate))) * 1_000_000).rounded())
    }

    private init(millionths: Int64) { self.millionths = millionths }

    /// Returns the rate that a request sets: in the range -32...32, and 0 for NaN and for a rate that rounds to 0
    /// millionths, at which time would not advance.
    package static func clamped(_ rate: Float) -> Float {
        PlaybackRate(rate).isStopped ? 0 : max(-32, min(32, rate))
    }

    /// Returns the rate, faster by `correction` millionths in either direction of time, or slower if it is negative.
    /// A correction never stops time and never changes its direction.
    func corrected(by correction: Int64) -> PlaybackRate {
        guard correction != 0, millionths != 0 else { return self }
        let correction = max(-500_000, min(500_000, correction))
        return PlaybackRate(millionths: millionths + millionths * correction / 1_000_000)
    }

    package static let stopped = PlaybackRate(0)
    package static let normal = PlaybackRate(1)
    package var isStopped: Bool { millionths == 0 }
    /// The rate as a factor, which is 1 for natural speed.
    package var factor: Double { Double(millionths) / 1_000_000 }

    /// Returns the media time, in nanoseconds, that passes in `host` nanoseconds of host time. The result is clamped
    /// to the range of `Int64`.
    package func mediaTime(for host: Int64) -> Int64 { Self.scale(host, millionths, 1_000_000) }

    /// Returns the host time, in nanoseconds and rounded up, until `media` nanoseconds have passed, or nil if they
    /// never do.
    package func hostTime(for media: Int64) -> Int64? {
        guard !isStopped, media == 0 || (media > 0) == (millionths > 0) else { return nil }
        let exact = Self.scale(media, 1_000_000, millionths)
        // The result is rounded up so that the media time has been reached at the returned host time.
        return mediaTime(for: exact).magnitude < media.magnitude ? exact &+ 1 : exact
    }

    /// Returns `value * numerator / denominator`, computed with a 128-bit product and truncated.
    private static func scale(_ value: Int64, _ numerator: Int64, _ denominator: Int64) -> Int64 {
        guard denominator != 0 else { return 0 }
        let product = value.magnitude.multipliedFullWidth(by: numerator.magnitude)
        guard product.high < denominator.magnitude else {
            return (value < 0) != ((numerator < 0) != (denominator < 0)) ? .min : .max
        }
        let quotient = denominator.magnitude.dividingFullWidth(product).quotient
        let magnitude = Int64(clamping: quotient)
        return (value < 0) != ((numerator < 0) != (denominator < 0)) ? -magnitude : magnitude
    }
}
