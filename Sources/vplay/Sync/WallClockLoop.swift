import Dispatch
import PlayheadCore

/// The loop of all inputs that follows the wall clock: its position is the wall-clock time since its origin, modulo its
/// length.
struct WallClockLoop: Sendable {
    var controller: WallClockController
    /// The start of each entry in the loop, in nanoseconds.
    let starts: [Int64]

    /// Creates a loop of entries with the given durations. Returns nil if one is unknown or empty, or if all together
    /// exceed 292 years.
    init?(durations: [MediaTime], origin: Int64) {
        var starts: [Int64] = []
        var end: Int64 = 0
        for duration in durations {
            guard duration.isNumeric, let length = duration.nanoseconds, length > 0 else { return nil }
            starts.append(end)
            let (sum, overflow) = end.addingReportingOverflow(length)
            guard !overflow else { return nil }
            end = sum
        }
        guard !starts.isEmpty else { return nil }
        self.starts = starts
        controller = WallClockController(length: end, origin: origin)
    }

    /// Returns the entry that plays at a wall-clock time, and the position in it.
    func entry(at wall: Int64) -> (index: Int, time: MediaTime) {
        let position = controller.position(at: wall)
        let index = (starts.firstIndex { $0 > position } ?? starts.count) - 1
        return (index, MediaTime(nanoseconds: position - starts[index]))
    }
}
