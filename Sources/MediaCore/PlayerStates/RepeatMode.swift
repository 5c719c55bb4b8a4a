/// The behavior of a player when its item has played to its end; see `Player.RepeatMode`.
public enum RepeatMode: String, Hashable, Sendable {
    /// The item plays once, and then `ActionAtItemEnd` applies.
    case once
    /// The item repeats without a gap: the start of the next pass is decoded before the current pass ends.
    case loop
}
