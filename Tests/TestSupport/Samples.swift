import Foundation

extension Collection {
    /// The samples of a test with many seeds or inputs. All of them, or every fourth if PLAYHEAD_SAMPLES is `few`.
    /// Sanitizers make each sample many times slower, and find the same faults with few samples.
    package var samples: [Element] {
        let step = ProcessInfo.processInfo.environment["PLAYHEAD_SAMPLES"] == "few" ? 4 : 1
        return enumerated().filter { $0.offset % step == 0 }.map(\.element)
    }
}
