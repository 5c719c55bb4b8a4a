/// The state of a player's time; see `Player.TimeControlStatus`.
public enum TimeControlStatus: String, Hashable, Sendable {
    /// The rate is 0, so time does not advance.
    case paused
    /// The rate is not 0, but time does not advance until the player can play. `Player.reasonForWaitingToPlay` has
    /// the reason.
    case waitingToPlayAtSpecifiedRate
    /// Time advances.
    case playing
}
