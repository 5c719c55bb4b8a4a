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
