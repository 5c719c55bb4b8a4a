package import MediaCore

/// A change that is reported to observers. Changes are reported in causal order.
///
/// `PlaybackState` posts those that it decides; the loop reports what it knows itself.
package enum PlaybackChange: Hashable, Sendable {
    // Decided by the state.
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
    /// An item has interrupted another one, or has been played or removed.
    case interstitialBegan(ItemID)
    case interstitialEnded(ItemID)
    case playbackStalled(ItemID)
    case playedToEnd(ItemID, at: MediaTime)
    case failedToPlayToEnd(ItemID, MediaError)
    case timeJumped(ItemID, to: MediaTime)
    /// A pass has ended. The change is posted once for each pass; see `PassOutcome`.
    case passEnded(ItemID, PassOutcome)
    case seekCompleted(SeekID, finished: Bool)
    case prerollCompleted(SeekID, finished: Bool)

    // Reported by the loop.
    case presentationSizeChanged(ItemID, PixelSize)
    case tracksChanged(ItemID)
    /// Other tracks of the current item are played.
    case selectionChanged(ItemID)
    /// The choice of tracks with this number has been applied as far as possible.
    case choiceApplied(ItemID, UInt64)
    /// The subtitles that were chosen cannot be read. The fault is reported before.
    case subtitlesNotOpened(ItemID)
    /// The actual rate of the timeline has changed. It is 0 while the timeline is stopped.
    case effectiveRateChanged(ItemID, Float)
    /// The range that has been loaded, in item time, has changed. It is nil if nothing is loaded.
    case loadedRangeChanged(ItemID, MediaTimeRange?)
    /// The first frame of the item or of a seek has reached the sinks.
    case readyForDisplayChanged(ItemID, Bool)
    /// Data was lost, and playback continues.
    case fault(ItemID?, MediaError)
    case sinkFailed(SinkFailure)
    /// Decoding is too slow and video frames are skipped, or it is fast enough again.
    case decodingFellBehind(ItemID)
    case decodingKeepsUp(ItemID, skipped: Int)

    /// The failure of a sink, with the error that the sink threw.
    package struct SinkFailure: Hashable, Sendable {
        package let error: MediaError
        package let underlying: any Error

        package static func == (a: SinkFailure, b: SinkFailure) -> Bool { a.error == b.error }
        package func hash(into hasher: inout Hasher) { hasher.combine(error) }
    }
}
