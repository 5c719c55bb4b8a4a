/// A frame's time as the container wrote it: before the item's timeline was laid over it.
public struct SourceTime: Hashable, Sendable {
    /// Presentation time in `timeBase` ticks; nil where the stream has none.
    public var ticks: Int64?
    /// Seconds per tick.
    public var timeBase: Rational

    /// `ticks` of `timeBase` seconds each.
    public init(ticks: Int64?, timeBase: Rational) {
        self.ticks = ticks
        self.timeBase = timeBase
    }
}
