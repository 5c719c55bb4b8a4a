// What a player says of itself. The engine decides these and the player publishes them, so both use the same types.
// The player has them under names of its own too: `Player.Status`, `Player.RepeatMode` and so on.

/// Whether a player can play. `Player.Status`.
public enum PlayerStatus: String, Hashable, Sendable {
    /// No item has been tried yet.
    case unknown
    /// It plays what can be played.
    case readyToPlay
    /// It can play nothing at all; `Player.error` says why.
    case failed
}

/// Whether an item can be played. `PlayerItem.Status`.
public enum PlayerItemStatus: String, Hashable, Sendable {
    /// No player has opened it yet.
    case unknown
    /// Opened: its duration and tracks are known.
    case readyToPlay
    /// It cannot be played; `PlayerItem.error` says why. Final.
    case failed
}

/// Whether time runs, and if not, whether it will. `Player.TimeControlStatus`.
public enum TimeControlStatus: String, Hashable, Sendable {
    /// The rate is 0: time stands until somebody sets another one.
    case paused
    /// There is a rate, and time stands until something can be played; `Player.reasonForWaitingToPlay` says what
    /// it waits for.
    case waitingToPlayAtSpecifiedRate
    /// Time runs.
    case playing
}

/// Why a player that has a rate does not play. `Player.WaitingReason`.
public enum WaitingReason: String, Hashable, Sendable {
    /// For data: what is at hand would not last, or nothing has come for a tenth of a second. Show a spinner.
    case toMinimizeStalls
    /// How long it will take is not known yet. Brief, unless waiting is switched off.
    case evaluatingBufferingRate
    /// There is no item.
    case noItemToPlay
}

/// What happens when the item has played to its end. `Player.ActionAtItemEnd`.
public enum ActionAtItemEnd: String, Hashable, Sendable {
    /// On to the next item; a player without a queue pauses.
    case advance
    /// The rate becomes 0, and the last frame stays.
    case pause
    /// Time goes on past the end.
    case none
}

/// Whether the item begins again at its end. `Player.RepeatMode`.
public enum RepeatMode: String, Hashable, Sendable {
    /// It is played to its end, and then `ActionAtItemEnd` says what comes.
    case once
    /// Gapless: the next pass lies decoded before the present one ends.
    case loop
}

/// Why the rate is what it is. `PlayerEvent.RateChange`.
public enum RateChangeReason: String, Hashable, Sendable {
    /// Somebody set it: `rate`, `play()`, `pause()`, or another item.
    case setRateCalled
    /// The data ran out, where the player does not wait for more.
    case stalled
    /// There is data again after a stall that had taken the rate.
    case resumedAfterStall
    /// The system took the audio away for a while: a call came in.
    case audioSessionInterrupted
    /// The system gave it back.
    case resumedAfterInterruption
    /// The item was played to its end.
    case itemEnded
    /// The item could not be opened, or not be played to its end.
    case itemFailed
}
