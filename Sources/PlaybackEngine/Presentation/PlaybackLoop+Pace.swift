import MediaCore
import PlayheadBackend

extension PlaybackLoop {
    /// Corrects the pace, to stay in step with another clock than the host's. Called on the control lane.
    ///
    /// - Parameters:
    ///   - millionths: The correction in millionths; a negative value slows playback down.
    ///   - interval: The nanoseconds until the next call. The timeline follows a device that plays, so the audio is moved
    ///     by what the correction amounts to in that time.
    package func correctPace(by millionths: Int64, every interval: Int64) {
        let limited = max(-Self.maximumPaceCorrection, min(Self.maximumPaceCorrection, millionths))
        if audio.facts.isClock, let output = audio.output {
            let time = interval / 1_000_000 * limited
            if time != 0 { output.move(by: time) }
        } else {
            presentation.timeline.correct(by: limited, epoch: presentation.timeline.epoch, at: now)
        }
        update()
    }

    /// The largest correction: 1 %, beyond what is used.
    private static let maximumPaceCorrection: Int64 = 10_000
}
