/// The reason why a player with a nonzero rate does not play; see `Player.WaitingReason`.
public enum WaitingReason: String, Hashable, Sendable {
    /// The player buffers: the available data would not last, or no data arrived for 0.1 s. An application shows a
    /// spinner.
    case toMinimizeStalls
    /// The player does not know yet how long buffering will take. This state is brief, unless waiting is switched
    /// off.
    case evaluatingBufferingRate
    /// The player has no item.
    case noItemToPlay
}
