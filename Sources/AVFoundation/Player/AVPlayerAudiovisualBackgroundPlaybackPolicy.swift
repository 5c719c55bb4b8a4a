/// Whether video continues when the application leaves the foreground, which does not happen here.
public enum AVPlayerAudiovisualBackgroundPlaybackPolicy: Int, Sendable {
    /// The system decides.
    case automatic = 1
    /// Playback pauses.
    case pauses = 2
    /// Playback continues if it can.
    case continuesIfPossible = 3
}
