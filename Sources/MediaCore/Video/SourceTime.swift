/// The time of a frame as the container declares it, before it is mapped to the item's timeline.
public struct SourceTime: Hashable, Sendable {
    /// The presentation time in ticks of `timeBase`; nil if the stream declares none.
    public var ticks: Int64?
    /// The duration of a tick in seconds.
    public var timeBase: Rational

    /// Creates a time.
    ///
    /// - Parameters:
    ///   - ticks: The presentation time in ticks; nil if there is none.
    ///   - timeBase: The duration of a tick in seconds.
    public init(ticks: Int64?, timeBase: Rational) {
        self.ticks = ticks
        self.timeBase = timeBase
    }
}
