/// What happens when the item has played to its end. `Player.ActionAtItemEnd`.
public enum ActionAtItemEnd: String, Hashable, Sendable {
    /// On to the next item; a player without a queue pauses.
    case advance
    /// The rate becomes 0, and the last frame stays.
    case pause
    /// Time goes on past the end.
    case none
}
