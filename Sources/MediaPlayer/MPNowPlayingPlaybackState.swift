/// The state of playback in the description of what is playing.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
    /// The state is not known.
    case unknown = 0
    /// Something is playing.
    case playing = 1
    /// Playback is paused.
    case paused = 2
    /// Nothing is playing.
    case stopped = 3
    /// Playback is interrupted.
    case interrupted = 4
}
