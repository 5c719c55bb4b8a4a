/// Whether an item can be played. `PlayerItem.Status`.
public enum PlayerItemStatus: String, Hashable, Sendable {
    /// No player has opened it yet.
    case unknown
    /// Opened: its duration and tracks are known.
    case readyToPlay
    /// It cannot be played; `PlayerItem.error` says why. Final.
    case failed
}
