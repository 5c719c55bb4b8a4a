import MediaCore

/// Finds the picture that is due at a time: the last one whose presentation time is at or before it. What
/// comes earlier is dropped; what comes later passes.
struct SeekFilter {
    private var target: MediaTime?
    /// The best candidate so far: due, unless another one at or before the target follows.
    private var candidate: VideoFrame?
    private var isFirst = true

    mutating func begin(at target: MediaTime?) {
        self.target = target
        candidate = nil
        isFirst = true
    }

    /// Something was asked for, and not a single frame has come.
    var hasSeenNothing: Bool { target != nil && isFirst }

    /// What was asked for has not been found yet.
    var isSearching: Bool { target != nil }

    /// `isLate`: nothing at or before the target has been seen, so the search began too late.
    mutating func take(_ frame: VideoFrame) -> (frames: [VideoFrame], isLate: Bool) {
        guard let target else { return ([frame], false) }
        let wasFirst = isFirst
        isFirst = false
        if frame.presentationTime <= target {
            candidate = frame
            return ([], false)
        }
        self.target = nil
        guard let due = candidate else { return ([frame], wasFirst) }
        candidate = nil
        return ([due, frame], false)
    }

    /// Samples before the target are cut off.
    mutating func take(_ buffer: AudioBuffer) -> (buffer: AudioBuffer?, isLate: Bool) {
        guard let target else { return (buffer, false) }
        let wasFirst = isFirst
        isFirst = false
        let kept = buffer.starting(at: target)
        guard kept.frameCount > 0 else { return (nil, false) }
        self.target = nil
        // A few milliseconds are the grain of containers' time stamps, not a late landing.
        let late = buffer.presentationTime - target > MediaTime(value: 5, timescale: 1000)
        return (kept, wasFirst && late)
    }

    /// At the end of the data: the candidate is the last picture there is.
    mutating func drain() -> VideoFrame? {
        defer { candidate = nil }
        return candidate
    }
}

extension AudioBuffer {
    /// Without the samples due before `time`.
    func starting(at time: MediaTime) -> AudioBuffer {
        guard presentationTime < time else { return self }
        return trimmed(first: sampleCount(time - presentationTime))
    }

    /// Without the samples due at or after `time`.
    func ending(at time: MediaTime) -> AudioBuffer {
        guard presentationTime < time else { return trimmed(first: frameCount) }
        let wanted = sampleCount(time - presentationTime)
        return wanted >= frameCount ? self : trimmed(last: frameCount - wanted)
    }

    /// Samples per channel in `duration`, rounded to nearest.
    private func sampleCount(_ duration: MediaTime) -> Int {
        let rate = Int32(clamping: format.sampleRate)
        guard rate > 0, duration.isNumeric else { return 0 }
        return Int(clamping: duration.rescale(to: rate, rounding: .roundHalfAwayFromZero).value)
    }
}
