public import MediaCore

/// A factory of demuxers, converters and processors: FFmpeg in production, scripted objects in tests. All
/// members may be called on any thread.
public protocol MediaBackend: Sendable {
    /// Whether the engine loads `http` and `https` URLs itself and passes the bytes as `OpenRequest.source`.
    ///
    /// If true, the location of the request is a name without credentials. If false, which is the default, the
    /// backend receives the URL unchanged and loads it itself.
    var readsURLsFromSources: Bool { get }
    /// Creates a demuxer. It does no I/O before `Demuxer.open()`, which also reports all errors.
    ///
    /// - Parameter request: The location or source to open, and the limits that apply.
    func makeDemuxer(for request: OpenRequest) -> any Demuxer
    /// Creates a video converter. Each user needs one of its own, because a converter handles one call at a
    /// time.
    func makeVideoConverter() -> any VideoConverter
    /// Creates an audio converter for one stream of samples. It holds the samples that its resampler has not
    /// yet returned.
    ///
    /// - Parameter format: The format of the converted samples.
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter
    /// Creates a time stretcher, or returns nil if the backend has none; audio at other rates is then passed
    /// through unchanged. The default returns nil.
    func makeAudioTimeStretcher() -> (any AudioTimeStretcher)?
    /// Creates a deinterlacer, or returns nil if the backend has none; interlaced frames are then delivered as
    /// they were decoded. Each user needs one of its own. The default returns nil.
    func makeDeinterlacer() -> (any Deinterlacer)?
    /// Creates a renderer that draws subtitles into frames, or returns nil if the backend has none; subtitles are then
    /// not drawn. Each user needs one of its own. The default returns nil.
    func makeSubtitleRenderer() -> (any SubtitleRenderer)?
}

extension MediaBackend {
    public var readsURLsFromSources: Bool { false }
    public func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { nil }
    public func makeDeinterlacer() -> (any Deinterlacer)? { nil }
    public func makeSubtitleRenderer() -> (any SubtitleRenderer)? { nil }
}
