// What a player says of itself. The engine decides these and the player publishes them, so both use the same types.
// The player has them under names of its own too: `Player.Status`, `Player.RepeatMode` and so on.

/// Whether a player can play. `Player.Status`.
public enum PlayerStatus: String, Hashable, Sendable {
    case unknown, readyToPlay, failed
}

/// Whether an item can be played. `PlayerItem.Status`.
public enum PlayerItemStatus: String, Hashable, Sendable {
    case unknown, readyToPlay, failed
}

/// Whether time runs, and if not, whether it will. `Player.TimeControlStatus`.
public enum TimeControlStatus: String, Hashable, Sendable {
    case paused, waitingToPlayAtSpecifiedRate, playing
}

/// Why a player that has a rate does not play. `Player.WaitingReason`.
public enum WaitingReason: String, Hashable, Sendable {
    /// For data: what is at hand would not last, or nothing has come for a tenth of a second. Show a spinner.
    case toMinimizeStalls
    /// How long it will take is not known yet. Brief, unless waiting is switched off.
    case evaluatingBufferingRate
    case noItemToPlay
}

/// What happens when the item has played to its end. `Player.ActionAtItemEnd`.
public enum ActionAtItemEnd: String, Hashable, Sendable {
    /// On to the next item; a player without a queue pauses.
    case advance
    case pause
    /// Time goes on past the end.
    case none
}

/// Whether the item begins again at its end. `Player.RepeatMode`.
public enum RepeatMode: String, Hashable, Sendable {
    case once
    /// Gapless: the next pass lies decoded before the present one ends.
    case loop
}

/// Why the rate is what it is. `PlayerEvent.RateChange`.
public enum RateChangeReason: String, Hashable, Sendable {
    case setRateCalled, stalled, resumedAfterStall, itemEnded, itemFailed
}
