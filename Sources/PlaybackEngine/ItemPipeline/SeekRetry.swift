import MediaCore
import PlayheadBackend

/// The positions to search at after the container's index pointed after a seek's target: 1, 3 and 10 seconds before
/// the target, then the start.
struct SeekRetry {
    private var target: MediaTime = .zero
    private var steps: [Int64] = []

    /// Creates a value without further positions.
    init() {}

    init(target: MediaTime) {
        self.target = target
        steps = [1, 3, 10]
    }

    /// A Boolean value that indicates whether all positions were tried.
    var isExhausted: Bool { target <= .zero }

    /// Returns the next position, or nil if all were tried.
    mutating func next() -> MediaTime? {
        guard target > .zero else { return nil }
        let earlier = steps.isEmpty ? .zero : target - MediaTime(value: steps.removeFirst(), timescale: 1)
        guard earlier > .zero else {
            self = SeekRetry()
            return .zero
        }
        return earlier
    }
}
