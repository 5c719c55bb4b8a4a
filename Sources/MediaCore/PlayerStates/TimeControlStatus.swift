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
