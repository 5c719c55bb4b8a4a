/// The action that a player performs when an item has played to its end; see `Player.ActionAtItemEnd`.
public enum ActionAtItemEnd: String, Hashable, Sendable {
    /// The player advances to the next item. A player without a queue pauses.
    case advance
    /// The player sets its rate to 0, and the last frame stays visible.
    case pause
    /// The player does nothing, and time continues past the end.
    case none
}
