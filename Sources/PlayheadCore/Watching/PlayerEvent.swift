public import MediaCore

/// A change of a player or its items. Events are delivered in causal order.
public enum PlayerEvent: Sendable {
    /// Another item has become current, or none (nil).
    case currentItemChanged(PlayerItem?)
    /// The status of the player has changed.
    case statusChanged(Player.Status)
    /// The status of an item has changed; `PlayerItem.error` says why an item failed. Queued items report it before
    /// their turn, too.
    case itemStatusChanged(PlayerItem, PlayerItem.Status)
    /// The requested rate has changed, with the reason.
    case rateChanged(from: Float, to: Float, reason: RateChange)
    /// The player has started to play, to wait or to pause. The reason is nil unless it is waiting.
    case timeControlStatusChanged(Player.TimeControlStatus, Player.WaitingReason?)
    /// The system has interrupted audio, for example because of a call. The rate is 0 and time does not advance; see
    /// `Player.isInterrupted`.
    case interruptionBegan
    /// The interruption has ended, or a rate was set in spite of it. `shouldResume` is true if the interruption had
    /// paused the player and no rate was set since; the player resumes by itself if `Player.resumesAfterInterruption`
    /// is true.
    case interruptionEnded(shouldResume: Bool)
    /// `Player.repeatMode` has changed.
    case repeatModeChanged(Player.RepeatMode)
    /// `Player.volume` has changed; the value is in the range 0...1.
    case volumeChanged(Float)
    /// `Player.isMuted` has changed.
    case mutedChanged(Bool)
    /// `Player.isScrubbing` has changed.
    case scrubbingChanged(Bool)
    /// The duration of the item has become known, or more precise.
    case durationChanged(PlayerItem, MediaTime)
    /// The tracks of the item, or their enabled states, have changed; see `PlayerItem.tracks`.
    case tracksChanged(PlayerItem)
    /// The rate at which time actually advances has changed, after the cause of the change. It is 0 while paused,
    /// waiting or seeking; see `Timebase`.
    case effectiveRateChanged(PlayerItem, Float)
    /// Other tracks than before are played.
    case mediaSelectionChanged(PlayerItem)
    /// The presentation size in pixels has changed; see `PlayerItem.presentationSize`.
    case presentationSizeChanged(PlayerItem, PixelSize)
    /// `PlayerItem.isPlaybackBufferEmpty` has changed.
    case playbackBufferEmptyChanged(PlayerItem, Bool)
    /// `PlayerItem.isPlaybackBufferFull` has changed.
    case playbackBufferFullChanged(PlayerItem, Bool)
    /// `PlayerItem.isPlaybackLikelyToKeepUp` has changed.
    case playbackLikelyToKeepUpChanged(PlayerItem, Bool)
    /// `PlayerItem.loadedTimeRanges` has changed.
    case loadedTimeRangesChanged(PlayerItem, [MediaTimeRange])
    /// The first frame of the item has been delivered to the sinks, or the item was removed.
    case readyForDisplayChanged(PlayerItem, Bool)
    /// The item, which is current now, has interrupted another one; see `QueuePlayer.playInterstitial(_:atRate:)`.
    case interstitialBegan(PlayerItem)
    /// The item that had interrupted another one has been played, has failed or was removed; its `passEnded(_:_:)` says
    /// which. The interrupted item is current again, unless it was removed or the interstitial was replaced.
    case interstitialEnded(PlayerItem)
    /// Playback has run out of data, and time does not advance.
    case playbackStalled(PlayerItem)
    /// A pass was played to its end, also for each pass of a loop.
    case didPlayToEndTime(PlayerItem)
    /// Playback failed before the end of the item.
    case failedToPlayToEndTime(PlayerItem, PlaybackError)
    /// A pass of the item has ended, with its outcome. There is exactly one such event for each pass.
    ///
    /// A pass begins when the item becomes current. Another one begins when playback continues after an outcome: with
    /// the next pass of a loop, after a seek or a change of direction away from the end, and when playback continues
    /// from the end. Releasing the player causes no event.
    case passEnded(PlayerItem, PassOutcome)
    /// Time has jumped after a seek, or because a loop restarted.
    case timeJumped(PlayerItem, to: MediaTime)
    /// A seek of the item has ended. `finished` is false if another seek or item replaced it.
    case seekCompleted(PlayerItem, finished: Bool)
    /// `PlayerItem.errorLog()` has a new entry: something was lost and playback continues, or playback ends, which
    /// `failedToPlayToEndTime` or the item's status reports next.
    case errorLogEntry(PlayerItem, ErrorLog.Event)
    /// The item has started to play in this player, so that `PlayerItem.accessLog()` has a new entry.
    case accessLogEntry(PlayerItem)
    /// A sink threw an error and was removed. Other sinks continue.
    case sinkFailed(PlaybackError)
    /// The reader was too slow: the given number of events was omitted before this one.
    case eventsLost(Int)

    /// The outcome of a pass.
    public enum PassOutcome: Sendable {
        /// The item, or the range between its playback end times, was played to its end.
        case playedToEnd
        /// Another item replaced the item.
        case replaced
        /// The item was removed without another one.
        case stopped
        /// The item could not be opened, or not be played to its end.
        case failed(PlaybackError)
    }

    /// The reason of a change of the rate.
    public typealias RateChange = RateChangeReason
}

/// An event and the time at which it occurred.
public struct TimedPlayerEvent: Sendable {
    /// The event.
    public let event: PlayerEvent
    /// The time on the item's timeline.
    public let itemTime: MediaTime
    /// The time on the player's clock. A virtual clock starts at zero.
    public let hostTime: HostTime
    /// The item that was current, or nil.
    public let item: PlayerItem?
}
