import MediaCore
import PlayheadBackend

/// Finds the frame that is due at a time: the last one whose presentation time is at or before it. Earlier frames
/// are dropped, later ones pass.
struct SeekFilter {
    private var target: MediaTime?
    /// The best candidate so far: due, unless another one at or before the target follows.
    private var candidate: VideoFrame?
    private var isFirst = true
    private var times: SeekTimes?

    /// `candidate`: a frame at or before the target that was decoded before the search began.
    mutating func begin(at target: MediaTime?, from candidate: VideoFrame? = nil) {
        self.target = target
        self.candidate = candidate
        isFirst = candidate == nil
        times = target.map { SeekTimes(target: $0) }
    }

    /// Something was asked for, and not a single frame has come.
    var hasReceivedNothing: Bool { target != nil && isFirst }

    /// What was asked for has not been found yet.
    var isSearching: Bool { target != nil }

    /// The packets may tell that the candidate is due. One that is over before the target is not taken without
    /// what follows it, because that decides where time stands; the renderer asks the same.
    var mayResolve: Bool {
        guard let target = ItemTime(target), let candidate else { return false }
        return times?.latest == candidate.presentationTime
            && PresentationScheduler.end(of: candidate) >= target
    }

    /// Notes a packet that is about to be decoded, or waits for it.
    mutating func note(_ packet: Packet) {
        if target != nil { times?.note(packet) }
    }

    /// No packet follows.
    mutating func noteEnd() { times?.noteEnd() }

    /// Whether the packet's frame is not shown. Something else may still refer to it.
    func endsBeforeTarget(_ packet: Packet) -> Bool {
        guard target != nil, let time = packet.presentationTime else { return false }
        return times?.endsBeforeTarget(time) ?? false
    }

    /// The frame that is due, where the packets tell so. Those that follow pass.
    mutating func resolve() -> VideoFrame? {
        guard mayResolve, let due = candidate, times?.isDue(due.presentationTime) ?? false else {
            return nil
        }
        target = nil
        candidate = nil
        return due
    }

    /// `isLate`: nothing at or before the target has been seen, so the search began too late.
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

    /// Audio is decoded from so long before the target, for decoders that need some packets to tune in.
    private static let audioPreroll = MediaTime(value: 1, timescale: 4)

    /// Whether the audio of the packet ends so long before the target that it need not be decoded. `end`: where
    /// the data ends, should the target lie behind that.
    mutating func canSkip(_ packet: Packet, end: MediaTime?) -> Bool {
        guard let target, let time = packet.presentationTime, let duration = packet.duration else {
            return false
        }
        guard time + duration < min(target, end ?? target) - Self.audioPreroll else { return false }
        isFirst = false
        return true
    }

    /// Samples before the target are cut off.
    mutating func filter(_ buffer: AudioBuffer) -> (buffer: AudioBuffer?, isLate: Bool) {
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

    /// At the end of the data: the candidate is the last frame there is.
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
        return Int(clamping: duration.rescaled(to: rate, rounding: .roundHalfAwayFromZero).value)
    }
}
