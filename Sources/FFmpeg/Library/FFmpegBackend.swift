package import MediaCore
package import PlayheadBackend

/// The backend for real media. Containers, codecs, scaling and resampling use the libraries of FFmpeg.
package struct FFmpegBackend: SegmentBackend {
    private let openFilters: @Sendable () -> Result<FilterLibrary, MediaError>
    private let hardware: any HardwareSource

    package var readsURLsFromSources: Bool { true }

    package init() { self.init { FilterLibrary.shared } }

    /// Creates a backend for tests with another libavfilter than that of this machine.
    package init(openFilters: @escaping @Sendable () -> Result<FilterLibrary, MediaError>) {
        self.openFilters = openFilters
        hardware = HardwareDevices.shared
    }

    /// Creates a backend for tests with other devices than those of this machine.
    init(hardware: any HardwareSource) {
        openFilters = { FilterLibrary.shared }
        self.hardware = hardware
    }

    package func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        let demuxer = FFmpegDemuxer(request, hardware: hardware)
        // The bytes of files are always available, and pipes can only block.
        return request.source == nil ? demuxer : FiberDemuxer(demuxer, for: request)
    }

    package func makeSegmentedDemuxer(for request: OpenRequest) -> any SegmentedDemuxer {
        var request = request
        request.isSegmented = true
        return FFmpegDemuxer(request, hardware: hardware)
    }

    package func makeCipher(key: [UInt8], iv: [UInt8]) throws(MediaError) -> any BlockCipher {
        try AESCipher(key: key, iv: iv)
    }

    package func makeVideoConverter() -> any VideoConverter { FFmpegVideoConverter() }

    package func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        FFmpegAudioConverter(to: format)
    }

    package func makeDeinterlacer() -> (any Deinterlacer)? { FFmpegDeinterlacer(openFilters) }

    package func makeSubtitleRenderer() -> (any SubtitleRenderer)? { FFmpegSubtitleRenderer() }

    package func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { OverlapStretcher() }
}
