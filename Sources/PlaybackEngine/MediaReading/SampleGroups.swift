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
        groups = divided[...]
    }

    /// Whether every group has been taken.
    var isEmpty: Bool { groups.isEmpty }

    /// Removes and returns the first group, as positions in `samples`.
    mutating func popFirst() -> Range<Int>? { groups.popFirst() }
}
