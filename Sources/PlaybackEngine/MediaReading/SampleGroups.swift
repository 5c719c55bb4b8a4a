import MediaCore

/// The frames of a number of samples, in the order in which they are decoded.
///
/// Samples that are decoded from the same sync point form a group. Groups are independent of each other, so decoders
/// work on several of them at once, and the frames in between are decoded once.
struct SampleGroups {
    /// A frame to decode.
    struct Sample {
        let time: MediaTime
        /// The position of the frame in the output.
        let index: Int
        /// The sync point from which the frame is decoded, if it is known.
        var syncPoint: MediaTime?
    }

    /// The samples in ascending order of time.
    private(set) var samples: [Sample]
    private var groups: ArraySlice<Range<Int>>

    /// Creates one group of all samples.
    ///
    /// - Parameters:
    ///   - times: All times.
    ///   - range: The positions of the samples in the output.
    init(_ times: SampleTimes, _ range: Range<Int>) {
        samples = range.map { Sample(time: times[$0], index: $0) }
            .sorted { ($0.time, $0.index) < ($1.time, $1.index) }
        groups = samples.isEmpty ? [] : [samples.indices]
    }

    /// Divides the samples into groups.
    ///
    /// - Parameter syncPoints: The sync point of each sample in ascending order of time.
    mutating func divide(by syncPoints: [MediaTime?]) {
        guard syncPoints.count == samples.count else { return }
        for index in samples.indices { samples[index].syncPoint = syncPoints[index] }
        var start = 0
        var divided: [Range<Int>] = []
        for index in samples.indices.dropFirst() where syncPoints[index] != syncPoints[index - 1] {
            divided.append(start..<index)
            start = index
        }
        if start < samples.count { divided.append(start..<samples.count) }
        groups = (isAscending ? divided : longestFirst(divided))[...]
    }

    /// Whether the output has the order of the times, so that the first group is needed first.
    private var isAscending: Bool { zip(samples, samples.dropFirst()).allSatisfy { $0.index < $1.index } }

    /// Returns the groups in descending order of what is decoded for them, so that the decoders end at about the same
    /// time. The output needs all groups before it is complete.
    private func longestFirst(_ groups: [Range<Int>]) -> [Range<Int>] {
        let lengths = groups.map { group -> MediaTime in
            guard let last = group.last, let syncPoint = samples[last].syncPoint else { return .zero }
            return samples[last].time - syncPoint
        }
        return groups.indices.sorted { (lengths[$1], $0) < (lengths[$0], $1) }.map { groups[$0] }
    }

    /// Whether every group has been taken.
    var isEmpty: Bool { groups.isEmpty }

    /// Removes and returns the group to decode next, as positions in `samples`.
    mutating func popFirst() -> Range<Int>? { groups.popFirst() }
}
