import MediaCore

/// The settings of a feed. The defaults suit most feeds.
public struct FeedSettings: Hashable, Sendable {
    /// The rule that chooses the cells that play.
    public var rule = FeedRule.mostVisible(atLeast: 0.5)
    /// The time without movement after which another cell may be chosen. A cell that stops satisfying the rule is
    /// paused immediately.
    public var settlingTime = Duration.milliseconds(300)
    /// The scrolling speed in points per second below which another cell is chosen without waiting for the list to
    /// settle. If nil, the list must settle first.
    public var slowSpeed: Double?
    /// The number of clips that are preloaded in the direction of travel.
    public var readyCount = 2
    /// The seconds of media that a playing clip must have buffered before other clips are loaded. A clip that is
    /// buffered completely also qualifies.
    public var secondsAhead = 3.0
    /// A Boolean value that indicates whether clips are preloaded one at a time: the next one begins when the previous
    /// one is ready.
    public var preparesOneByOne = false
    /// A Boolean value that indicates whether clips repeat.
    public var loops = true
    /// The behavior of a clip that is no longer the chosen one.
    public var offscreenBehavior = FeedOffscreenBehavior.pause
    /// A Boolean value that indicates whether the first cell follows the last one, as in an endless carousel.
    public var wraps = false
    /// The direction in which the list scrolls, or nil to derive it from the cells: the axis along which their origins
    /// lie further apart.
    public var axis: FeedAxis?

    /// Creates the default settings: the most visible cell with a share of at least 50 % plays after 0.3 s, and the
    /// next two clips are preloaded.
    public init() {}

    /// The largest number of players that the feed uses.
    public var poolSize: Int { rule.maximumPlaying.addingClamped(max(0, readyCount)) }
}
