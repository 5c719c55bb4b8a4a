public import MediaCore

/// Everything that changes about a player and its item, as one enum, in causal order.
public enum PlayerEvent: Sendable {
    case currentItemChanged(PlayerItem?)
    case statusChanged(Player.Status)
    case itemStatusChanged(PlayerItem, PlayerItem.Status)
    case rateChanged(from: Float, to: Float, reason: RateChange)
    case timeControlStatusChanged(Player.TimeControlStatus, Player.WaitingReason?)
    case repeatModeChanged(Player.RepeatMode)
    case volumeChanged(Float)
    case mutedChanged(Bool)
    case durationChanged(PlayerItem, MediaTime)
    case tracksChanged(PlayerItem)
    /// How fast time really runs, behind what changed it: 0 while standing, waiting or seeking. See `Timebase`.
    case effectiveRateChanged(PlayerItem, Float)
    /// Other tracks than before are played.
    case mediaSelectionChanged(PlayerItem)
    case presentationSizeChanged(PlayerItem, PixelSize)
    case playbackBufferEmptyChanged(PlayerItem, Bool)
    case playbackBufferFullChanged(PlayerItem, Bool)
    case playbackLikelyToKeepUpChanged(PlayerItem, Bool)
    /// See `PlayerItem.loadedTimeRanges`.
    case loadedTimeRangesChanged(PlayerItem, [MediaTimeRange])
    /// The first frame of the item has reached the sinks, or the item was taken off.
    case readyForDisplayChanged(PlayerItem, Bool)
    case playbackStalled(PlayerItem)
    /// The end of a pass, also on each pass of a loop.
    case didPlayToEndTime(PlayerItem)
    case failedToPlayToEndTime(PlayerItem, PlaybackError)
    /// How a pass of the item ended; exactly once a pass. A pass begins when the item becomes the current one,
    /// and again when playing goes on after an outcome: a loop's next pass, a seek or a turn away from the
    /// end, playing on from the end. Releasing the player tells nothing more.
    case passEnded(PlayerItem, PassOutcome)
    /// After a seek or a loop's jump.
    case timeJumped(PlayerItem, to: MediaTime)
    case seekCompleted(PlayerItem, finished: Bool)
    /// `PlayerItem.errorLog()` has a new entry: something was lost and playback goes on, or it ends, which
    /// `failedToPlayToEndTime` or the item's status tells next.
    case errorLogEntry(PlayerItem, ErrorLog.Event)
    /// The item has begun to play in this player: `PlayerItem.accessLog()` has a new entry.
    case accessLogEntry(PlayerItem)
    case sinkFailed(PlaybackError)
    /// The reader was too slow: so many events were left out before this one.
    case eventsLost(Int)

    /// How a pass ended.
    public enum PassOutcome: Sendable {
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
    public let event: PlayerEvent
    /// On the item's timeline.
    public let itemTime: MediaTime
    /// On the player's clock, which starts at zero where it is virtual.
    public let hostTime: HostTime
    /// The item that was current.
    public let item: PlayerItem?
}
