/// Why a player that has a rate does not play. `Player.WaitingReason`.
public enum WaitingReason: String, Hashable, Sendable {
    /// For data: what is at hand would not last, or nothing has come for a tenth of a second. Show a spinner.
    case toMinimizeStalls
    /// How long it will take is not known yet. Brief, unless waiting is switched off.
    case evaluatingBufferingRate
    /// There is no item.
    case noItemToPlay
}
