/// A named range of an asset's timeline.
public struct Chapter: Hashable, Sendable {
    /// The title in the container, or nil if there is none.
    public var title: String?
    /// The range of the chapter, in item time.
    public var timeRange: MediaTimeRange

    /// Creates a chapter.
    ///
    /// - Parameters:
    ///   - title: The title, or nil for none.
    ///   - timeRange: The range, in item time.
    public init(title: String?, timeRange: MediaTimeRange) {
        self.title = title
        self.timeRange = timeRange
    }
}
