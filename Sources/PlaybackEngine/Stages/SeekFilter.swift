import MediaCore
import PlayheadBackend

/// Finds the frame that is due at a seek's target: the last one whose presentation time is at or before the
/// target.
///
/// Earlier frames are dropped, and later ones pass.
struct SeekFilter {
    private var target: MediaTime?
    /// The best candidate so far. It is due unless another frame at or before the target follows.
    private var candidate: VideoFrame?
    private var isFirst = true
    private var times: SeekTimes?

    /// Begins a search, or ends it if `target` is nil.
    ///
    /// - Parameters:
    ///   - target: The time for which the due frame is searched.
    ///   - candidate: A frame at or before the target that was decoded before the search began.
    mutating func begin(at target: MediaTime?, from candidate: VideoFrame? = nil) {
        self.target = target
        self.candidate = candidate
        isFirst = candidate == nil
        times = target.map { SeekTimes(target: $0) }
    }

    /// True if a search is in progress and no frame has been received.
    var hasReceivedNothing: Bool { target != nil && isFirst }

    /// True while a search is in progress.
    var isSearching: Bool { target != nil }

    /// True if the packets may identify the candidate as the due frame.
    ///
    /// A candidate that ends before the target is not accepted without the frame after it, because that frame
    /// determines the position of the timeline. The presentation scheduler applies the same rule.
    var mayResolve: Bool {
        guard let target = ItemTime(target), let candidate else { return false }
        return times?.latest == candidate.presentationTime
            && PresentationScheduler.end(of: candidate) >= target
    }

    /// Records a packet that is about to be decoded or is queued.
    mutating func note(_ packet: Packet) {
        if target != nil { times?.note(packet) }
    }

    /// Records that no packet follows.
    mutating func noteEnd() { times?.noteEnd() }

    /// Returns whether the frame of a packet ends before the target. It may still be needed as a reference.
    func endsBeforeTarget(_ packet: Packet) -> Bool {
        guard target != nil, let time = packet.presentationTime else { return false }
        return times?.endsBeforeTarget(time) ?? false
    }

    /// Returns the due frame and ends the search if the packets identify it, or returns nil.
    mutating func resolve() -> VideoFrame? {
        guard mayResolve, let due = candidate, times?.isDue(due.presentationTime) ?? false else {
            return nil
        }
        target = nil
        candidate = nil
        return due
    }

    /// Filters a video frame.
    ///
    /// - Returns: The frames to deliver. `isLate` is true if no frame at or before the target was received, so
    ///   that the search began too late.
    mutating func filter(_ frame: VideoFrame) -> (frames: [VideoFrame], isLate: Bool) {
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

    /// The usual lead of audio decoding before a target, for decoders that need some packets before their
    /// output is correct.
    static let audioPreroll = MediaTime(value: 1, timescale: 4)

    /// Returns whether an audio packet ends so long before the target that it need not be decoded.
    ///
    /// - Parameters:
    ///   - packet: A packet of an audio track.
    ///   - end: The end of the data, for a target that lies after it.
    ///   - preroll: The lead of audio decoding.
    mutating func canSkip(_ packet: Packet, end: MediaTime?, preroll: MediaTime) -> Bool {
        guard let target, let time = packet.presentationTime, let duration = packet.duration else {
            return false
        }
        guard time + duration < min(target, end ?? target) - preroll else { return false }
        isFirst = false
        return true
    }

    /// Filters an audio buffer, and removes the samples before the target.
    ///
    /// - Returns: The buffer to deliver, if any. `isLate` is true if the first buffer begins after the target.
    mutating func filter(_ buffer: AudioBuffer) -> (buffer: AudioBuffer?, isLate: Bool) {
        guard let target else { return (buffer, false) }
        let wasFirst = isFirst
        isFirst = false
        let kept = buffer.starting(at: target)
        guard kept.frameCount > 0 else { return (nil, false) }
        self.target = nil
        // Deviations up to 5 ms are the resolution of container timestamps.
        let late = buffer.presentationTime - target > MediaTime(value: 5, timescale: 1000)
        return (kept, wasFirst && late)
    }

    /// Returns the candidate at the end of the data, where it is the last frame.
    mutating func drain() -> VideoFrame? {
        defer { candidate = nil }
        return candidate
    }
}

extension AudioBuffer {
    /// Returns the buffer without the samples due before `time`.
    func starting(at time: MediaTime) -> AudioBuffer {
        guard presentationTime < time else { return self }
        return trimmed(first: sampleCount(time - presentationTime))
    }

    /// Returns the buffer without the samples due at or after `time`.
    func ending(at time: MediaTime) -> AudioBuffer {
        guard presentationTime < time else { return trimmed(first: frameCount) }
        let wanted = sampleCount(time - presentationTime)
        return wanted >= frameCount ? self : trimmed(last: frameCount - wanted)
    }

    /// Returns the number of samples per channel in `duration`, rounded to the nearest integer.
    private func sampleCount(_ duration: MediaTime) -> Int {
        let rate = Int32(clamping: format.sampleRate)
        guard rate > 0 else { return 0 }
        let count = duration.rescaled(to: rate, rounding: .roundHalfAwayFromZero)
        // More than can be counted: the target of a seek may be any time.
        if count == .positiveInfinity { return .max }
        return count.isNumeric ? Int(clamping: count.value) : 0
    }
}
