/// Which of the visible cells plays. Shares are of what can be seen of a cell at most: a cell that is larger than the
/// viewport has a share of 1 where it fills it, so it can play too.
public enum FeedRule: Hashable, Sendable {
    /// The one with the largest share of its area in view; of equal ones the first of the list. None where no share is
    /// as large as `atLeast`, 0...1.
    case mostVisible(atLeast: Double)
    /// The first of the list with this share in view, or more. 0...1; 0.85 is common.
    case first(atLeast: Double)
    /// All with this share in view, or more, in the order of the list, up to so many. 0: all of which anything is seen.
    case all(atLeast: Double, upTo: Int)
    /// The one that covers a point of the viewport; 0, 0 is its top left corner, 1, 1 its bottom right one. Of cells that
    /// overlap there, the first of the list.
    case atPoint(x: Double, y: Double)

    /// The first of the list that is wholly in view, or as far as it can be.
    public static let firstWhollyVisible = FeedRule.first(atLeast: 1)

    /// How many it lets play at the same time.
    public var maximumPlaying: Int {
        if case .all(_, let count) = self { max(1, count) } else { 1 }
    }
}

/// What happens to a clip whose cell is not the chosen one any more.
public enum FeedOffscreenBehavior: Hashable, Sendable {
    /// It pauses, and goes on from there when it is chosen again, unless it was within half a second of its end.
    case pause
    /// It begins at zero when it is chosen again.
    case pauseAndRewind
}

/// How a feed decides. The defaults are what most feeds do.
public struct FeedSettings: Hashable, Sendable {
    /// Who plays.
    public var rule = FeedRule.mostVisible(atLeast: 0.5)
    /// Seconds without movement after which another cell is chosen. A cell that leaves is paused at once.
    public var settlingTime = 0.3
    /// Points a second; where it scrolls slower than that, another cell is chosen at once. nil: only when it has settled.
    public var slowSpeed: Double?
    /// How many clips are made ready ahead, in the direction of travel.
    public var readyCount = 2
    /// What plays has enough when so many seconds are there ahead, or all there is; until then nothing else is loaded.
    public var secondsAhead = 3.0
    /// The second of them is not begun before the first one is ready, and so on: one download at a time.
    public var preparesOneByOne = false
    /// Clips begin again at their end.
    public var loops = true
    /// What becomes of a clip that leaves.
    public var leaving = FeedOffscreenBehavior.pause
    /// Behind the last cell comes the first one: an endless banner.
    public var wraps = false

    /// Most visible by area at 50 % or more, after 0.3 s; the next two are made ready.
    public init() {}

    /// Players that a feed has at most.
    public var poolSize: Int { rule.maximumPlaying + max(0, readyCount) }
}
