import MediaCore

/// An item that interrupts the current one, and what continues after it.
package struct InterstitialState: Hashable, Sendable {
    package internal(set) var id: ItemID
    /// The interrupted item, or nil if there was none, or if it was removed.
    var primary: Primary?
    /// The rate before the interruption.
    var rate: Float
    var withheldRate: WithheldRate

    /// The state of the interrupted item. It is restored as a whole.
    struct Primary: Hashable, Sendable {
        var item: ItemState
        var epoch: Epoch
        var isReverse: Bool
        var inFlightSeekIsAnswered: Bool
        var silentEpoch: Epoch?
    }
}

/// An item that is opened to interrupt the current one.
struct PendingInterstitial: Hashable, Sendable {
    var ready: PreparedState
    /// The rate at which the item plays.
    let rate: Float
}
