/// A named stretch of an asset's timeline.
public struct Chapter: Hashable, Sendable {
    /// As the container writes it; nil for none.
    public var title: String?
    /// Where it lies, in item time.
    public var timeRange: MediaTimeRange

    /// `timeRange` in item time.
    public init(title: String?, timeRange: MediaTimeRange) {
        self.title = title
        self.timeRange = timeRange
    }
}
