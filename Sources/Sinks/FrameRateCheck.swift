internal import MediaCore

/// Compares the times of frames with those that they have in a file of one frame rate.
struct FrameRateCheck: Sendable {
    /// The largest accepted difference in frame durations: a lost frame, and times in milliseconds, are within it.
    private static let tolerance = 1.5

    /// The frame since which frames follow each other in the media, and the number of frames since then.
    private var start: (time: MediaTime, epoch: Epoch, pass: Int)?
    private var count = 0.0
    private var hasFound = false

    /// Returns whether a frame is the first one whose time differs by more than the tolerance.
    mutating func isFirstUneven(_ frame: VideoFrame, at rate: Rational) -> Bool {
        // After a seek, in the next item and in the next pass, the times continue elsewhere.
        guard let first = start, first.epoch == frame.epoch, first.pass == frame.pass else {
            start = (frame.presentationTime, frame.epoch, frame.pass)
            count = 1
            return false
        }
        let place = abs((frame.presentationTime - first.time).seconds) * rate.doubleValue
        let isUneven = abs(place - count) > Self.tolerance
        count += 1
        defer { hasFound = hasFound || isUneven }
        return isUneven && !hasFound
    }
}
