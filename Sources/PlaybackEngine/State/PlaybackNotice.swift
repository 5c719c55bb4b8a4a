package import MediaCore

/// What observers are told, in causal order.
package enum PlaybackNotice: Hashable, Sendable {
    case playerStatusChanged(PlayerStatus)
    case itemChanged(from: ItemID?, to: ItemID?)
    case itemStatusChanged(ItemID, PlayerItemStatus)
    /// An item of the queue, which is skipped.
    case itemFailed(ItemID, MediaError)
    case durationChanged(ItemID, MediaTime)
    case rateChanged(from: Float, to: Float, RateChangeReason)
    case timeControlChanged(TimeControlStatus, WaitingReason?)
    case bufferEmptyChanged(ItemID, Bool)
    case bufferFullChanged(ItemID, Bool)
    case likelyToKeepUpChanged(ItemID, Bool)
    case repeatModeChanged(RepeatMode)
    case interruptionBegan
    /// `shouldResume`: it took a rate away, and nobody has set another one since.
    case interruptionEnded(shouldResume: Bool)
    case playbackStalled(ItemID)
    case playedToEnd(ItemID, at: MediaTime)
    case failedToPlayToEnd(ItemID, MediaError)
    case timeJumped(ItemID, to: MediaTime)
    /// Once a pass; see `PassOutcome`.
    case passEnded(ItemID, PassOutcome)
}
