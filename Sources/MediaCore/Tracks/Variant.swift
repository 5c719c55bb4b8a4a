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
