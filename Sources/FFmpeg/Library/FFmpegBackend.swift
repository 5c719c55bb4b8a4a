package import MediaCore

/// The backend that plays real media: containers, codecs, scaling and resampling by FFmpeg's libraries.
package struct FFmpegBackend: MediaBackend {
    package init() {}

    package func makeDemuxer(for request: OpenRequest) -> any Demuxer { FFmpegDemuxer(request) }

    package func makeVideoConverter() -> any VideoConverter { FFmpegVideoConverter() }

    package func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        FFmpegAudioConverter(to: format)
    }

    package func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { OverlapStretcher() }
}
