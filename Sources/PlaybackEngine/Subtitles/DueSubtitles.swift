import MediaCore

/// The subtitles that are drawn into the frames of a layer. Another instance means that something else is drawn.
final class DueSubtitles: Sendable {
    let cues: [TextCue]
    /// The item time from which the cues are due together.
    let time: MediaTime

    init(_ cues: [TextCue], at time: MediaTime) {
        self.cues = cues
        self.time = time
    }

    /// Returns the time for which subtitles are drawn into a frame. The last frame before a cue shows it, too, if it is
    /// still shown when the cue begins.
    func time(of frame: VideoFrame) -> MediaTime {
        frame.isReversed ? time : max(time, frame.presentationTime)
    }
}
