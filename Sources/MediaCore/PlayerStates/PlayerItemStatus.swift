/// The state of an item with respect to playback; see `PlayerItem.Status`.
public enum PlayerItemStatus: String, Hashable, Sendable {
    /// No player has opened the item yet.
    case unknown
    /// The item is open; its duration and tracks are known.
    case readyToPlay
    /// The item cannot be played; see `PlayerItem.error`. This state is final.
    case failed
}
