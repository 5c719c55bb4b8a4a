import MediaCore

/// Decides when the range that is read ahead is worth telling, so that nobody is flooded.
struct ReadingMonitor {
    /// The range that was told last.
    private(set) var reportedRange: MediaTimeRange?

    /// Told are: growth of a quarter of a second, any loss at the end, the last bit at the end of the data, an earlier
    /// start, and a start that is a second later. A smaller loss at the start is told with the next growth.
    mutating func mustReport(_ range: MediaTimeRange?, isOver: @autoclosure () -> Bool) -> Bool {
        guard let range else {
            defer { reportedRange = nil }
            return reportedRange != nil
        }
        if let reportedRange {
            let growth = range.end - reportedRange.end
            let loss = range.start - reportedRange.start
            guard
                growth >= Self.minimumGrowth || growth < .zero || loss >= Self.minimumStartShift
                    || loss < .zero
                    || growth > .zero && isOver()
            else { return false }
        }
        reportedRange = range
        return true
    }

    private static let minimumGrowth = MediaTime(value: 1, timescale: 4)
    private static let minimumStartShift = MediaTime(value: 1, timescale: 1)
}
