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
