import Foundation

extension Collection {
    /// The samples of a test that tries the same with many seeds or many inputs: all of them. Where PLAYHEAD_SAMPLES is
    /// `few`, every fourth, from the first on: sanitizers look for faults in memory and between threads, which the same
    /// code shows with few samples as with many, and they make each sample many times slower.
    package var samples: [Element] {
        let step = ProcessInfo.processInfo.environment["PLAYHEAD_SAMPLES"] == "few" ? 4 : 1
        return enumerated().filter { $0.offset % step == 0 }.map(\.element)
    }
}
