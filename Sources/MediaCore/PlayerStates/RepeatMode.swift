/// Whether the item begins again at its end. `Player.RepeatMode`.
public enum RepeatMode: String, Hashable, Sendable {
    /// It is played to its end, and then `ActionAtItemEnd` says what comes.
    case once
    /// Gapless: the next pass lies decoded before the present one ends.
    case loop
}
