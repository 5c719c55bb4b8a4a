/// A playback rate as a whole number of millionths, so that times are computed in integers.
package struct PlaybackRate: Hashable, Sendable {
    package let millionths: Int64

    /// The public API promises -32...32: rates beyond are held at the ends, and NaN is 0.
    package init(_ rate: Float) {
        guard !rate.isNaN else {
            millionths = 0
            return
        }
        millionths = Int64((Double(max(-32, min(32, rate))) * 1_000_000).rounded())
    }

    private init(millionths: Int64) { self.millionths = millionths }

    /// So many millionths faster, in either direction of time; below zero: slower. A correction never stops time and
    /// never changes its direction.
    func corrected(by correction: Int64) -> PlaybackRate {
        guard correction != 0, millionths != 0 else { return self }
        let correction = max(-500_000, min(500_000, correction))
        return PlaybackRate(millionths: millionths + millionths * correction / 1_000_000)
    }

    package static let stopped = PlaybackRate(0)
    package static let normal = PlaybackRate(1)
    package var isStopped: Bool { millionths == 0 }
    /// 1 for natural speed.
    package var factor: Double { Double(millionths) / 1_000_000 }

    /// Nanoseconds of media that pass in `host` nanoseconds of host time; held at the ends of the range.
    package func mediaTime(for host: Int64) -> Int64 { Self.scale(host, millionths, 1_000_000) }

    /// Nanoseconds of host time, rounded up, until `media` nanoseconds have passed; nil when they never do.
    package func hostTime(for media: Int64) -> Int64? {
        guard !isStopped, media == 0 || (media > 0) == (millionths > 0) else { return nil }
        let exact = Self.scale(media, 1_000_000, millionths)
        // Rounded up: whoever looks again then must find that the time has come.
        return mediaTime(for: exact).magnitude < media.magnitude ? exact &+ 1 : exact
    }

    /// value * numerator / denominator with a 128-bit product, truncated.
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
