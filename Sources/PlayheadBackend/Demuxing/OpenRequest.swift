public import MediaCore

/// What to open and how.
public struct OpenRequest: Sendable {
    /// A path, a `file:` URL, or "-" for standard input. Other schemes are refused by the backend with words.
    public var location: String
    /// Bytes to read instead of opening `location`, which then only serves as a name.
    public var source: (any ByteSource)?
    /// `source` hands out segments; see `SegmentedDemuxer`.
    package var isSegmented = false
    /// FFmpeg's name of the container ("mov", "mpegts", "hls"); nil: what the bytes and the name say.
    public var container: String?
    /// True: analyse the streams even where the header says enough, so that frame rates and durations are the
    /// best that can be had. Slower to open.
    public var probesFully: Bool
    /// Streams beyond this are refused.
    public var maximumStreamCount: Int
    /// Frames with more pixels than this are refused before memory is taken for them.
    public var maximumPixelCount: Int

    /// Opens `location`, or reads `source` instead. The limits protect the host from what a file claims to
    /// hold: streams in a container, pixels in a frame.
    public init(
        location: String,
        source: (any ByteSource)? = nil,
        probesFully: Bool = false,
        maximumStreamCount: Int = 64,
        maximumPixelCount: Int = 8192 * 4320
    ) {
        self.location = location
        self.source = source
        self.container = nil
        self.probesFully = probesFully
        self.maximumStreamCount = maximumStreamCount
        self.maximumPixelCount = maximumPixelCount
    }
}
