public import Foundation

/// The commands of remote controls. None is connected, so handlers are stored and never called.
///
/// `@unchecked Sendable`: its properties are constants of `Sendable` types.
public final class MPRemoteCommandCenter: NSObject, @unchecked Sendable {
    private static let center = MPRemoteCommandCenter()

    private override init() { super.init() }

    /// Returns the center.
    ///
    /// - Returns: The center of the process.
    public class func shared() -> MPRemoteCommandCenter { center }

    /// Plays.
    public let playCommand = MPRemoteCommand()
    /// Pauses.
    public let pauseCommand = MPRemoteCommand()
    /// Stops.
    public let stopCommand = MPRemoteCommand()
    /// Plays, or pauses.
    public let togglePlayPauseCommand = MPRemoteCommand()
    /// Advances to the next item.
    public let nextTrackCommand = MPRemoteCommand()
    /// Returns to the previous item.
    public let previousTrackCommand = MPRemoteCommand()
    /// Begins and ends seeking forward.
    public let seekForwardCommand = MPRemoteCommand()
    /// Begins and ends seeking backward.
    public let seekBackwardCommand = MPRemoteCommand()
    /// Skips forward.
    public let skipForwardCommand = MPSkipIntervalCommand()
    /// Skips backward.
    public let skipBackwardCommand = MPSkipIntervalCommand()
    /// Changes the position.
    public let changePlaybackPositionCommand = MPChangePlaybackPositionCommand()
    /// Changes the rate.
    public let changePlaybackRateCommand = MPChangePlaybackRateCommand()
    /// Changes what is repeated.
    public let changeRepeatModeCommand = MPChangeRepeatModeCommand()
    /// Changes what is played in random order.
    public let changeShuffleModeCommand = MPChangeShuffleModeCommand()
    /// Likes what is playing.
    public let likeCommand = MPFeedbackCommand()
    /// Dislikes what is playing.
    public let dislikeCommand = MPFeedbackCommand()
    /// Bookmarks what is playing.
    public let bookmarkCommand = MPFeedbackCommand()
    /// Rates what is playing.
    public let ratingCommand = MPRatingCommand()
}
