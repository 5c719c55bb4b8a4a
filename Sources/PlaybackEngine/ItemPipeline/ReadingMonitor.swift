import MediaCore

/// Decides when the range that is read ahead is worth telling, so that nobody is flooded.
struct ReadingMonitor {
    /// The range that was told last.
    private(set) var told: MediaTimeRange?

    /// Told are: growth of a quarter of a second, any loss at the end, the last bit at the end of the data, an earlier
    /// start, and a start that is a second later. A smaller loss at the start is told with the next growth.
    mutating func mustReport(_ range: MediaTimeRange?, isOver: @autoclosure () -> Bool) -> Bool {
        guard let range else {
            defer { told = nil }
            return told != nil
        }
        if let told {
            let growth = range.end - told.end
            let loss = range.start - told.start
            guard
                growth >= Self.step || growth < .zero || loss >= Self.startStep || loss < .zero
                    || growth > .zero && isOver()
            else { return false }
        }
        told = range
        return true
    }

    private static let step = MediaTime(value: 1, timescale: 4)
    private static let startStep = MediaTime(value: 1, timescale: 1)
}
