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

/// Scales and converts frames. Calls come one at a time.
public protocol VideoConverter: AnyObject, Sendable {
    /// `frame` scaled to `size` in `pixelFormat`. Time stamps, colour and marks are kept.
    func convert(_ frame: VideoFrame, to pixelFormat: PixelFormat, size: PixelSize) throws(MediaError)
        -> VideoFrame
    /// `frame` turned and mirrored as its format says, so that it needs no more of it. The pixel format may be
    /// another one where the frame's own cannot be turned.
    func upright(_ frame: VideoFrame) throws(MediaError) -> VideoFrame
    /// A frame of `geometry.target`: `geometry.source` of `frame`, scaled, mirrored and rotated as the geometry
    /// says, at `geometry.destination`, and `background` wherever that leaves the target free. The result is
    /// upright and has square pixels. `pixelFormat` nil: the frame's own, or the nearest one that it can be
    /// made in. Where the pixel format has no alpha, `background` is laid over black.
    func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame
    /// As `convert(_:to:geometry:background:)`, where what is of high dynamic range is mapped to the standard one, BT.709, and
    /// the format says so. `geometry` nil: size, shape and marks are kept. Frames of the standard range are converted
    /// as ever; so are those with alpha.
    func convertToSDR(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry?,
        background: Color
    ) throws(MediaError) -> VideoFrame
    /// What `convert` makes of a frame in `pixelFormat` where no format is asked for. Any thread, at any time.
    func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat
}

extension VideoConverter {
    /// The very same.
    public func nearestFormat(to pixelFormat: PixelFormat, geometry: VideoGeometry) -> PixelFormat {
        pixelFormat
    }

    /// For a converter without one of its own: by scaling and turning the whole frame. Throws where a part
    /// would have to be cut out, or bars painted.
    public func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        guard geometry.bars.isEmpty, geometry.source.size == frame.size else {
            throw MediaError(.conversionFailed, "this converter cannot cut pictures, nor paint bars")
        }
        var scaled = try convert(frame, to: pixelFormat ?? frame.pixelFormat, size: geometry.scaledSize)
        scaled.format.rotation = geometry.rotation
        scaled.format.isMirrored = geometry.isMirrored
        var result = try upright(scaled)
        result.format = result.format.laidOut(by: geometry)
        return result
    }

    /// For a converter that maps nothing: the colours are kept, and the format says so.
    public func convertToSDR(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry?,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        guard let geometry else {
            return try convert(frame, to: pixelFormat ?? frame.pixelFormat, size: frame.size)
        }
        return try convert(frame, to: pixelFormat, geometry: geometry, background: background)
    }

    public func upright(_ frame: VideoFrame) throws(MediaError) -> VideoFrame {
        guard frame.format.rotation == .none, !frame.format.isMirrored else {
            throw MediaError(.conversionFailed, "this converter cannot turn pictures")
        }
        return frame
    }
}

/// Converts sample format, rate and channel layout without losing samples. Calls come one at a time.
public protocol AudioConverter: AnyObject, Sendable {
    /// Converted samples; may be fewer than `buffer` holds while the resampler fills. The input's format may
    /// change from call to call.
    func convert(_ buffer: AudioBuffer) throws(MediaError) -> AudioBuffer?
    /// What the resampler still holds.
    func drain() throws(MediaError) -> AudioBuffer?
    /// Forgets what it holds.
    func reset()
}

/// Makes the objects that do the work: FFmpeg in production, scripted ones in tests.
public protocol MediaBackend: Sendable {
    /// True: what http and https URLs hold comes to it as `OpenRequest.source`, and the location is a name without
    /// credentials. False, by default: it gets the URL as it is, and reads by itself.
    var readsURLsFromSources: Bool { get }
    /// A demuxer that has not been opened: `Demuxer.open()` does the I/O and throws what goes wrong. Any
    /// thread.
    func makeDemuxer(for request: OpenRequest) -> any Demuxer
    /// A converter of frames. Each user takes one of its own, for it serves one call at a time. Any thread.
    func makeVideoConverter() -> any VideoConverter
    /// A converter to `format` for one stream of samples: it keeps what its resampler has not handed out
    /// yet. Any thread.
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter
    /// nil: audio at another speed is handed on as it is.
    func makeAudioTimeStretcher() -> (any AudioTimeStretcher)?
    /// nil: interlaced frames are handed on as they were decoded. Each user takes one of its own. Any thread.
    func makeDeinterlacer() -> (any Deinterlacer)?
}

extension MediaBackend {
    public var readsURLsFromSources: Bool { false }
    public func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { nil }
    public func makeDeinterlacer() -> (any Deinterlacer)? { nil }
}
