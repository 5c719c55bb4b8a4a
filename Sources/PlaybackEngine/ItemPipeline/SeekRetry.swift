import MediaCore
import PlayheadBackend

/// Where to look next when the container's index led behind a seek's target: 1, 3 and 10 seconds before it,
/// then the start.
struct SeekRetry {
    private var target: MediaTime = .zero
    private var steps: [Int64] = []

    /// There is nowhere else to look.
    init() {}

    init(target: MediaTime) {
        self.target = target
        steps = [1, 3, 10]
    }

    /// The next place; nil: all were tried.
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
