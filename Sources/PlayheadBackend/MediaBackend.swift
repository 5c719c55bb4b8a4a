public import MediaCore

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
