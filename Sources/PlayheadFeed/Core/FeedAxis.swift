/// The direction in which a list scrolls.
public enum FeedAxis: String, Hashable, Sendable {
    /// The list scrolls up and down.
    case vertical
    /// The list scrolls left and right.
    case horizontal
}
