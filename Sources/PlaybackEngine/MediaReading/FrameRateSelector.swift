import MediaCore

/// Selects the frame that is due at each of a series of times from a sequence of frames in presentation order.
package struct FrameRateSelector: Sendable {
    private let times: SampleTimes
    private var index = 0
    private var newest: VideoFrame?

    /// Creates a selector.
    ///
    /// - Parameter times: The times in ascending order.
    package init(_ times: SampleTimes) { self.times = times }

    /// Receives a frame.
    ///
    /// - Returns: The preceding frame and the number of times at which it is due, or nil if it is due at none.
    mutating func receive(_ frame: VideoFrame) -> (frame: VideoFrame, count: Int)? {
        defer { newest = frame }
        let time = frame.presentationTime - frame.sourceTime.timeBase.roundingError
        return newest.flatMap { due($0, before: time) }
    }

    /// Receives the end of the last frame, or nil if it is unknown.
    ///
    /// - Returns: The last frame and the number of times at which it is due, or nil if it is due at none.
    mutating func finish(at end: MediaTime?) -> (frame: VideoFrame, count: Int)? {
        defer { newest = nil }
        guard let frame = newest else { return nil }
        // The only frame of an asset may have no duration. It is due at its own time nevertheless.
        let earliest = frame.presentationTime + MediaTime(nanoseconds: 1)
        // The time and the duration of the frame may both have been rounded up.
        let error = frame.sourceTime.timeBase.roundingError
        return due(frame, before: max(end.map { $0 - error - error } ?? earliest, earliest))
    }

    /// Whether every time has been answered.
    var isFinished: Bool { index >= times.count }

    private mutating func due(_ frame: VideoFrame, before end: MediaTime) -> (frame: VideoFrame, count: Int)?
    {
        let first = index
        index = times.firstIndex(notBefore: end, from: index)
        return index > first ? (frame, index - first) : nil
    }
}
