import PlayheadBackend
import PlayheadCore

/// A backend that gives still images a duration. Everything else is opened as by the backend that it wraps.
struct StillImageBackend: MediaBackend {
    /// The duration of an image.
    let duration: MediaTime
    private let base: any MediaBackend

    init(duration: MediaTime, base: any MediaBackend = Player.Configuration().backend) {
        self.duration = duration
        self.base = base
    }

    var readsURLsFromSources: Bool { base.readsURLsFromSources }

    func makeDemuxer(for request: OpenRequest) -> any Demuxer {
        StillImageDemuxer(base.makeDemuxer(for: request), duration: duration)
    }

    func makeVideoConverter() -> any VideoConverter { base.makeVideoConverter() }
    func makeAudioConverter(to format: AudioFormat) -> any AudioConverter {
        base.makeAudioConverter(to: format)
    }
    func makeAudioTimeStretcher() -> (any AudioTimeStretcher)? { base.makeAudioTimeStretcher() }
    func makeDeinterlacer() -> (any Deinterlacer)? { base.makeDeinterlacer() }
    func makeSubtitleRenderer() -> (any SubtitleRenderer)? { base.makeSubtitleRenderer() }
}
