/// Whether a player can play. `Player.Status`.
public enum PlayerStatus: String, Hashable, Sendable {
    /// No item has been tried yet.
    case unknown
    /// It plays what can be played.
    case readyToPlay
    /// It can play nothing at all; `Player.error` says why.
    case failed
}
