package import MediaCore

/// A change that is reported to observers. Notices are posted in causal order.
package enum PlaybackNotice: Hashable, Sendable {
    case playerStatusChanged(PlayerStatus)
    case itemChanged(from: ItemID?, to: ItemID?)
    case itemStatusChanged(ItemID, PlayerItemStatus)
    /// An item of the queue has failed and is skipped.
    case itemFailed(ItemID, MediaError)
    case durationChanged(ItemID, MediaTime)
    case rateChanged(from: Float, to: Float, RateChangeReason)
    case timeControlChanged(TimeControlStatus, WaitingReason?)
    case bufferEmptyChanged(ItemID, Bool)
    case bufferFullChanged(ItemID, Bool)
    case likelyToKeepUpChanged(ItemID, Bool)
    case repeatModeChanged(RepeatMode)
    case interruptionBegan
    /// An interruption has ended. `shouldResume` is true if the interruption paused playback and no rate has been set
    /// since.
    case interruptionEnded(shouldResume: Bool)
    case playbackStalled(ItemID)
    case playedToEnd(ItemID, at: MediaTime)
    case failedToPlayToEnd(ItemID, MediaError)
    case timeJumped(ItemID, to: MediaTime)
    /// A pass has ended. The notice is posted once for each pass; see `PassOutcome`.
    case passEnded(ItemID, PassOutcome)
}
