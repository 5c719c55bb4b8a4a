package import MediaCore

/// The backend that plays real media: containers, codecs, scaling and resampling by FFmpeg's libraries.
package struct FFmpegBackend: MediaBackend {
    private let openFilters: @Sendable () -> Result<FilterLibrary, MediaError>

    package init() { self.init { FilterLibrary.shared } }

    /// For tests: where libavfilter is not the one of this machine.
    package init(openFilters: @escaping @Sendable () -> Result<FilterLibrary, MediaError>) {
        self.openFilters = openFilters
    }

    package func makeDemuxer(for request: OpenRequest) -> any Demuxer { FFmpegDemuxer(request) }

    package func makeVideoConverter() -> any VideoConverter { FFmpegVideoConverter() }

    package func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        FFmpegAudioConverter(to: format)
    }

    package func makeDeinterlacer() -> (any Deinterlacer)? { FFmpegDeinterlacer(openFilters) }

    package func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { OverlapStretcher() }
}
