/// The reason for a change of a player's rate; see `PlayerEvent.RateChange`.
public enum RateChangeReason: String, Hashable, Sendable {
    /// The application changed it, by `rate`, `play()`, `pause()` or another item.
    case setRateCalled
    /// The data ran out, and the player does not wait for more.
    case stalled
    /// Data is available again after a stall that had set the rate to 0.
    case resumedAfterStall
    /// The system interrupted the audio, such as for a call.
    case audioSessionInterrupted
    /// The interruption of the audio ended.
    case resumedAfterInterruption
    /// The item played to its end.
    case itemEnded
    /// The item could not be opened, or not be played to its end.
    case itemFailed
}
