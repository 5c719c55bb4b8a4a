import MediaCore

/// Decides when the range that is read ahead is worth telling, so that nobody is flooded.
struct ReadingMonitor {
    private var told: MediaTimeRange? { didSet { toldEnd = ItemTime(told?.end) } }
    /// Where the range ended that was told last.
    private(set) var toldEnd: ItemTime?

    /// A quarter of a second of growth, any loss, and the last bit at the end of the data.
    mutating func mustReport(_ range: MediaTimeRange?, isOver: Bool) -> Bool {
        guard let range else {
            defer { told = nil }
            return told != nil
        }
        if let told {
            let growth = range.end - told.end
            guard growth >= Self.step || growth < .zero || isOver && growth > .zero else { return false }
        }
        told = range
        return true
    }

    private static let step = MediaTime(value: 1, timescale: 4)
}
