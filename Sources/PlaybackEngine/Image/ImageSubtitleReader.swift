import MediaCore
import PlayheadBackend

/// Reads the subtitles of still images and draws them. It is confined to a lane.
final class ImageSubtitleReader {
    let subtitles: ImageSubtitles
    private let stage: CueStage
    private let renderer: (any SubtitleRenderer)?
    private let failure = Locked<MediaError?>(nil)
    /// The first cue that could not be decoded.
    private let fault = Locked<MediaError?>(nil)
    private var time: ItemTime?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - subtitles: The track.
    ///   - wake: Called when bytes have arrived.
    init(_ subtitles: ImageSubtitles, usesBlockingReads: Bool, wake: @escaping @Sendable () -> Void) {
        self.subtitles = subtitles
        renderer = subtitles.makeRenderer()
        stage = CueStage(
            subtitles.source,
            at: .zero,
            usesBlockingReads: usesBlockingReads,
            changed: {},
            opened: { [failure] result in
                if case .failure(let error) = result {
                    failure.withLock { $0 = subtitles.source.located(error) }
                }
            },
            // A cue that cannot be decoded is skipped, unless all before the time are such.
            faulted: { [fault] error in fault.withLock { $0 = $0 ?? subtitles.source.located(error) } }
        )
        stage.demuxer.setNoticeHandler { if $0 == .ready { wake() } }
    }

    func close() { stage.cancel() }

    /// Reads for one step. Returns the cues at a time when all of them have been read, or `.pending` until then.
    ///
    /// - Parameter mustWait: Set to true if bytes are missing.
    func read(at time: MediaTime, mustWait: inout Bool) throws(MediaError) -> Poll<[TextCue]> {
        guard let time = ItemTime(time) else { return .ready([]) }
        if time != self.time {
            self.time = time
            _ = stage.play(at: time, jumped: true)
        }
        let result = stage.step()
        if let error = failure.withLock({ $0 }) { throw error }
        switch result {
        case .needsInput:
            mustWait = true
            return .pending
        case .progressed: return .pending
        default:
            if stage.cues.entries.isEmpty, let error = fault.withLock({ $0 }) { throw error }
            return .ready(stage.cues.due(from: time, to: time).map(\.cue))
        }
    }

    /// Returns a shaped image with subtitles.
    func draw(
        _ cues: [TextCue],
        at time: MediaTime,
        on image: VideoFrame,
        geometry: VideoGeometry
    ) throws(MediaError) -> VideoFrame {
        try renderer?.draw(cues, at: time, on: image, geometry: geometry) ?? image
    }
}
