import MediaCore

/// Decides when a change of the loaded range is reported, so that reports are not too frequent.
struct ReadingMonitor {
    /// The range that was reported last.
    private(set) var reportedRange: MediaTimeRange?

    /// Returns whether a range is reported.
    ///
    /// The following are reported: growth of 0.25 s, any loss at the end, the last growth at the end of the data, an
    /// earlier start, and a start that is 1 s later. A smaller loss at the start is reported with the next growth.
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
