/// The state of a player; see `Player.Status`.
public enum PlayerStatus: String, Hashable, Sendable {
    /// The player has not opened an item yet.
    case unknown
    /// The player can play items.
    case readyToPlay
    /// The player can no longer play any item; see `Player.error`.
    case failed
}
