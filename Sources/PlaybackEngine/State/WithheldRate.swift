import MediaCore

/// A rate that was requested and is not in effect, with the reason. It is restored when the reason has passed.
///
/// At most one rate is withheld, and only while the player's rate is 0: each reason needs a rate to withhold, and
/// takes over the one that another reason withholds.
package enum WithheldRate: Hashable, Sendable {
    case none
    /// A stall set the rate to 0. The rate is restored after the stall, also for another item.
    case stall(Float)
    /// An interruption set the rate to 0, or the item that the rate was requested of failed before it and was
    /// replaced during it.
    case interruption(Float)
    /// The rate was requested of an item of the queue that cannot be played. An item that is inserted after it is
    /// played at this rate.
    case failure(Float)
    /// The rate was requested at the end, where no data is left. The end is reported again after a delay, unless the
    /// position moves away from the end first; then the rate is restored.
    case end(Float)

    /// The withheld rate, or nil if there is none.
    var rate: Float? {
        switch self {
        case .none: nil
        case .stall(let rate), .interruption(let rate), .failure(let rate), .end(let rate): rate
        }
    }

    var isForEnd: Bool { if case .end = self { true } else { false } }
}
