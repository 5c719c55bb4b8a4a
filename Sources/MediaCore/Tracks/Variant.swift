/// One of several renderings of the same programme, of which one at a time is played (HLS: `EXT-X-STREAM-INF`).
public struct Variant: Hashable, Sendable {
    /// Bits per second at most, as the playlist says.
    public var peakBitRate: Double
    /// As a viewer sees it; `.zero` for audio alone.
    public var size: PixelSize
    /// FFmpeg's short names, in the order of the tracks.
    public var codecs: [String]
    /// `Track.id` of all that belongs to it; several variants may share a track.
    public var trackIDs: Set<Int>

    /// `peakBitRate` in bits per second; `size` as a viewer sees it.
    public init(peakBitRate: Double, size: PixelSize, codecs: [String], trackIDs: Set<Int>) {
        self.peakBitRate = peakBitRate
        self.size = size
        self.codecs = codecs
        self.trackIDs = trackIDs
    }
}
