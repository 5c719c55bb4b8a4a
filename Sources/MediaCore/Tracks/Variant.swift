/// One of several versions of the same content, of which one is played at a time (RFC 8216: `EXT-X-STREAM-INF`).
public struct Variant: Hashable, Sendable {
    /// The peak bit rate in bits per second, as the playlist declares it.
    public var peakBitRate: Double
    /// The displayed size; `.zero` for audio only.
    public var size: PixelSize
    /// FFmpeg's short names of the codecs, in the order of the tracks.
    public var codecs: [String]
    /// The `Track.id` of each track of the variant. Variants may share tracks.
    public var trackIDs: Set<Int>

    /// Creates a variant.
    ///
    /// - Parameters:
    ///   - peakBitRate: The peak bit rate in bits per second.
    ///   - size: The displayed size; `.zero` for audio only.
    ///   - codecs: FFmpeg's short names of the codecs, in the order of the tracks.
    ///   - trackIDs: The `Track.id` of each track.
    public init(peakBitRate: Double, size: PixelSize, codecs: [String], trackIDs: Set<Int>) {
        self.peakBitRate = peakBitRate
        self.size = size
        self.codecs = codecs
        self.trackIDs = trackIDs
    }
}

extension Variant {
    /// The number of pixels of a frame, clamped to the range of `Int`.
    package var pixelCount: Int {
        let (count, overflow) = size.width.multipliedReportingOverflow(by: size.height)
        return overflow ? .max : count
    }

    /// Returns the variant of the highest quality: one with video, then the highest bit rate, then the largest size.
    /// Returns the first one if several qualify.
    package static func highestQuality(of variants: [Variant]) -> Variant? {
        variants.min { one, other in
            if one.size.isEmpty != other.size.isEmpty { return other.size.isEmpty }
            if one.peakBitRate != other.peakBitRate { return one.peakBitRate > other.peakBitRate }
            return one.pixelCount > other.pixelCount
        }
    }
}
