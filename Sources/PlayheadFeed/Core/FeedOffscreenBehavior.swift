/// The behavior of a clip when its cell is no longer the chosen one.
public enum FeedOffscreenBehavior: Hashable, Sendable {
    /// The clip pauses and later resumes from the same position, unless that is within half a second of its end.
    case pause
    /// The clip starts from zero when it is chosen again.
    case pauseAndRewind
}
