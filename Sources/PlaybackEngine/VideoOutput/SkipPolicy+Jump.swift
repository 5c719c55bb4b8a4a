import MediaCore
import PlayheadBackend

/// Jumps of decoding to a later key frame (drop to key frame): the packets before it are not decoded.
///
/// Jumping to a key frame in the future freezes the picture until that frame is due, but the clock is kept from
/// there on. A jump is therefore made only if the freeze is no longer than frames are late. If frames are so
/// late that they are useless, any key frame that has been read is accepted. Until there is one, late frames
/// are decoded and shown: a late frame is better than none.
extension SkipPolicy {
    /// The longest time for which a jump may freeze the picture, in host nanoseconds. Nothing is read further
    /// ahead.
    static let maximumFreezeDuration: Int64 = 10_000_000_000
    /// The largest assumed value of `jumpLatency`, in host nanoseconds.
    static let maximumJumpLatency: Int64 = 2_000_000_000
    /// The largest value of `jumpLatency` that is assumed before the first jump, in host nanoseconds.
    private static let initialJumpLatency: Int64 = 500_000_000
    /// If jumps follow each other within this interval, and key frames are dense, only key frames are decoded.
    private static let minimumJumpInterval: Int64 = 500_000_000
    /// Key frames are dense if their average distance is at most this, in host nanoseconds.
    private static let denseKeyFrameInterval: Int64 = 150_000_000
    /// If key frames are dense and decoding all frames would take this many times the available time, only key
    /// frames are decoded.
    private static let keyFramesOnlyLoad = 2.0

    /// Whether packets must be read beyond the usual limits, to find the next key frame, and so that the late
    /// packets of one track do not keep those of another from being read.
    var needsExtendedReading: Bool { skipping > .none && rate > 0 }

    /// Returns the jump to make, or nil to continue decoding at the current position.
    ///
    /// - Parameters:
    ///   - packets: The packets that have been read and not decoded.
    ///   - position: The playback position.
    ///   - pass: The current pass.
    ///   - seamFollows: Whether other data follows the end of the pass without a gap.
    ///   - now: The current time.
    mutating func jump(
        over packets: UpcomingPackets,
        position: ItemTime,
        pass: Int,
        seamFollows: Bool,
        at now: HostTime
    ) -> KeyFrameJump? {
        guard keyFrameDrop > .none, skipping == .nonReference else { return nil }
        guard let time = target(packets, position, seamFollows) else { return nil }
        if hasDenseKeyFrames(packets), needsKeyFramesOnly(at: now) {
            increaseSkipping(to: .allButKeyFrames, at: now)
            return nil
        }
        lastJumpAt = now
        endLatePeriod()
        let jump = KeyFrameJump(pass: pass, time: time)
        pendingJump = jump
        return jump
    }

    private mutating func target(
        _ packets: UpcomingPackets,
        _ position: ItemTime,
        _ seamFollows: Bool
    ) -> ItemTime? {
        let jumpLatency = expectedJumpLatency
        self.jumpLatency = jumpLatency
        let reach = max(lateness, Self.lateThreshold) + jumpLatency
        // The first key frame that can be decoded in time.
        let wanted = position + media(jumpLatency)
        if let key = packets.keyFrameTimes.first(where: { $0 >= wanted }) {
            let freeze = host(key - position)
            if freeze <= reach || keyFrameDrop == .any && freeze <= Self.maximumFreezeDuration { return key }
            return nil
        }
        // A key frame in the past, but far less late than the frames that are decoded now.
        if let key = packets.keyFrameTimes.last, host(wanted - key) <= lateness / 2 { return key }
        guard packets.endsPass else { return nil }
        // The next pass begins with a key frame.
        if seamFollows, host(packets.end - position) <= reach { return KeyFrameJump.endOfPass }
        // No frame of the rest of the pass can be decoded in time.
        return host(position - packets.end) > Self.lateThreshold ? KeyFrameJump.endOfPass : nil
    }

    /// Returns whether one jump would follow another.
    private func needsKeyFramesOnly(at now: HostTime) -> Bool {
        if let share = load.loadForAllFrames(rate: rate), share > Self.keyFramesOnlyLoad { return true }
        return lastJumpAt.map { now.nanoseconds(since: $0) < Self.minimumJumpInterval } ?? false
    }

    /// Returns whether key frames are dense enough to look like motion by themselves.
    private func hasDenseKeyFrames(_ packets: UpcomingPackets) -> Bool {
        guard let first = packets.keyFrameTimes.first, let last = packets.keyFrameTimes.last, first < last
        else {
            return false
        }
        return host((last - first) / Int64(packets.keyFrameTimes.count - 1)) <= Self.denseKeyFrameInterval
    }

    private var expectedJumpLatency: Int64 {
        jumpLatency ?? min(Self.initialJumpLatency, 2 * (load.costPerFrame ?? 0))
    }

    /// Updates `jumpLatency` after the target frame of a jump has been decoded.
    ///
    /// - Parameter lateness: How late the frame was, in host nanoseconds; negative if it was early.
    mutating func jumpCompleted(lateness: Int64) {
        pendingJump = nil
        // A late frame is worse than an early one.
        let change = lateness > 0 ? lateness : lateness / 4
        jumpLatency = min(Self.maximumJumpLatency, max(0, (jumpLatency ?? 0) + change))
    }

    /// `jumpLatency` in nanoseconds of item time.
    var jumpLatencyInItemTime: Int64 { media(jumpLatency ?? 0) }

    /// Conversions between host time and item time at the current rate, in nanoseconds.
    private func media(_ host: Int64) -> Int64 { Self.nanoseconds(Double(host) * Double(abs(rate))) }
    private func host(_ media: Int64) -> Int64 {
        Self.nanoseconds(Double(media) / Double(max(abs(rate), 0.001)))
    }

    private static func nanoseconds(_ value: Double) -> Int64 { Int64(exactly: value.rounded()) ?? .max }
}
