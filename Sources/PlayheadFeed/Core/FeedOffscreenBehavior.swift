/// What happens to a clip whose cell is not the chosen one any more.
public enum FeedOffscreenBehavior: Hashable, Sendable {
    /// It pauses, and goes on from there when it is chosen again, unless it was within half a second of its end.
    case pause
    /// It begins at zero when it is chosen again.
    case pauseAndRewind
}
