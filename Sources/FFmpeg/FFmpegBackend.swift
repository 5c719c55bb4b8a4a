public import MediaCore

/// The backend that plays real media: containers, codecs, scaling and resampling by FFmpeg's libraries.
public struct FFmpegBackend: MediaBackend {
    public init() {}

    public func makeDemuxer(for request: OpenRequest) -> any Demuxer { FFmpegDemuxer(request) }

    public func makeVideoConverter() -> any VideoConverter { FFmpegVideoConverter() }

    public func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        FFmpegAudioConverter(to: format)
    }

    public func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { OverlapStretcher() }
}
