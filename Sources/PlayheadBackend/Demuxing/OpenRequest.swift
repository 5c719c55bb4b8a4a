public import MediaCore

/// The location or the source that a demuxer opens, and the limits that apply.
public struct OpenRequest: Sendable {
    /// A path, a `file:` URL, or "-" for the standard input. The backend rejects other schemes with a message.
    public var location: String
    /// The bytes to read instead of opening `location`, which then serves only as a name.
    public var source: (any ByteSource)?
    /// Whether `source` delivers segments; see `SegmentedDemuxer`.
    package var isSegmented = false
    /// FFmpeg's name of the container format, such as "mov", "mpegts" or "hls". If nil, the format is detected
    /// from the bytes and the name.
    public var container: String?
    /// The encoding of a text file of subtitles that is not UTF-8, or nil for the default.
    package var subtitleEncoding: TextEncoding?
    /// Whether the streams are analyzed even if the header describes them sufficiently. Opening is slower, but
    /// frame rates and durations are as accurate as possible.
    public var probesFully: Bool
    /// The largest number of streams. Further streams are rejected.
    public var maximumStreamCount: Int
    /// The largest number of pixels in a frame. Larger frames are rejected before memory is allocated for them.
    public var maximumPixelCount: Int
    /// The purpose and the manner of reading. A demuxer may ignore all of it except `usesBlockingReads`.
    public var options = DemuxerOptions()

    /// Creates a request. The limits protect the host from excessive declarations in a file.
    ///
    /// - Parameters:
    ///   - location: A path, a `file:` URL, or "-" for the standard input.
    ///   - source: The bytes to read instead of opening `location`.
    ///   - probesFully: Whether the streams are analyzed even if the header describes them sufficiently.
    ///   - maximumStreamCount: The largest number of streams in the container.
    ///   - maximumPixelCount: The largest number of pixels in a frame.
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
