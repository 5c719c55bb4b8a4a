public import MediaCore

/// Everything that changes about a player and its item, as one enum, in causal order.
public enum PlayerEvent: Sendable {
    /// Another item is current; nil: none.
    case currentItemChanged(PlayerItem?)
    /// Whether the player can play at all.
    case statusChanged(Player.Status)
    /// An item can be played, or cannot (`PlayerItem.error`). Told of queued items before their turn, too.
    case itemStatusChanged(PlayerItem, PlayerItem.Status)
    /// What is wanted of the player, and why it is another rate now.
    case rateChanged(from: Float, to: Float, reason: RateChange)
    /// What really happens; the reason is non-nil only while waiting.
    case timeControlStatusChanged(Player.TimeControlStatus, Player.WaitingReason?)
    /// The system took the audio away: a call came in. The rate is 0 after this, and time stands. See
    /// `Player.isInterrupted`.
    case interruptionBegan
    /// The system gave the audio back, or somebody has played on in spite of it. `shouldResume`: it had stopped the
    /// player, and nobody has set a rate since; the player goes on by itself if `Player.resumesAfterInterruption` is set.
    case interruptionEnded(shouldResume: Bool)
    /// `Player.repeatMode` was set to another value.
    case repeatModeChanged(Player.RepeatMode)
    /// `Player.volume` was set to another value, 0...1.
    case volumeChanged(Float)
    /// `Player.isMuted` was set to another value.
    case mutedChanged(Bool)
    /// The item's duration is known, or better known.
    case durationChanged(PlayerItem, MediaTime)
    /// Other tracks are there, or are played. See `PlayerItem.tracks`.
    case tracksChanged(PlayerItem)
    /// How fast time really runs, behind what changed it: 0 while standing, waiting or seeking. See `Timebase`.
    case effectiveRateChanged(PlayerItem, Float)
    /// Other tracks than before are played.
    case mediaSelectionChanged(PlayerItem)
    /// Frames are seen in another size, in pixels. See `PlayerItem.presentationSize`.
    case presentationSizeChanged(PlayerItem, PixelSize)
    /// See `PlayerItem.isPlaybackBufferEmpty`.
    case playbackBufferEmptyChanged(PlayerItem, Bool)
    /// See `PlayerItem.isPlaybackBufferFull`.
    case playbackBufferFullChanged(PlayerItem, Bool)
    /// See `PlayerItem.isPlaybackLikelyToKeepUp`.
    case playbackLikelyToKeepUpChanged(PlayerItem, Bool)
    /// See `PlayerItem.loadedTimeRanges`.
    case loadedTimeRangesChanged(PlayerItem, [MediaTimeRange])
    /// The first frame of the item has reached the sinks, or the item was taken off.
    case readyForDisplayChanged(PlayerItem, Bool)
    /// The data ran out while playing, and time stands.
    case playbackStalled(PlayerItem)
    /// The end of a pass, also on each pass of a loop.
    case didPlayToEndTime(PlayerItem)
    /// Playing ended before the item's end, by this error.
    case failedToPlayToEndTime(PlayerItem, PlaybackError)
    /// How a pass of the item ended; exactly once a pass. A pass begins when the item becomes the current one,
    /// and again when playing goes on after an outcome: a loop's next pass, a seek or a turn away from the
    /// end, playing on from the end. Releasing the player tells nothing more.
    case passEnded(PlayerItem, PassOutcome)
    /// After a seek or a loop's jump.
    case timeJumped(PlayerItem, to: MediaTime)
    /// A seek of the item is over; false: another one, or another item, came before it was done.
    case seekCompleted(PlayerItem, finished: Bool)
    /// `PlayerItem.errorLog()` has a new entry: something was lost and playback goes on, or it ends, which
    /// `failedToPlayToEndTime` or the item's status tells next.
    case errorLogEntry(PlayerItem, ErrorLog.Event)
    /// The item has begun to play in this player: `PlayerItem.accessLog()` has a new entry.
    case accessLogEntry(PlayerItem)
    /// A sink threw, and was taken off. The others play on.
    case sinkFailed(PlaybackError)
    /// The reader was too slow: so many events were left out before this one.
    case eventsLost(Int)

    /// How a pass ended.
    public enum PassOutcome: Sendable {
        /// The item, or the part that its end times leave, was played to the end.
        case playedToEnd
        /// Another item took its place.
        case replaced
        /// It was taken off, and nothing took its place.
        case stopped
        /// It could not be opened, or not be played to its end.
        case failed(PlaybackError)
    }

    /// Why the rate is what it is.
    public typealias RateChange = RateChangeReason
}

/// An event and when it happened.
public struct TimedPlayerEvent: Sendable {
    /// What happened.
    public let event: PlayerEvent
    /// On the item's timeline.
    public let itemTime: MediaTime
    /// On the player's clock, which starts at zero where it is virtual.
    public let hostTime: HostTime
    /// The item that was current.
    public let item: PlayerItem?
}
