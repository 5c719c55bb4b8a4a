import MediaCore
import PlayheadBackend

/// Jumps: decoding goes on at a later key frame, and what lies before it is not decoded.
///
/// A jump to a key frame that is still to come stops the frame until then, but from there on the clock is
/// kept. So a jump is made when the stop is no longer than frames are late. Only where frames are too late to be
/// of use, any key frame that was read is taken. Until there is one, decoding goes on late: a late frame is
/// better than none.
extension SkipPolicy {
    /// A jump may stop the frame for so long at most, in host nanoseconds; further ahead nothing is read.
    static let maximumFreezeDuration: Int64 = 10_000_000_000
    static let maximumJumpLatency: Int64 = 2_000_000_000
    private static let initialJumpLatency: Int64 = 500_000_000
    /// Where jumps follow each other so closely, and key frames too, only key frames are decoded.
    private static let minimumJumpInterval: Int64 = 500_000_000
    private static let denseKeyFrameInterval: Int64 = 150_000_000
    /// The same where decoding all frames would take so many times as long as there is.
    private static let keyFramesOnlyLoad = 2.0

    /// Packets must be read further ahead than usual: where the next key frame lies, and because late packets
    /// of one track must not keep those of another from being read.
    var needsExtendedReading: Bool { skipping > .none && rate > 0 }

    /// Where decoding is to go on; nil: where it is. `seamFollows`: behind the end of the pass something
    /// else goes on without a gap.
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
        // The first one that can be decoded in time.
        let wanted = position + media(jumpLatency)
        if let key = packets.keyFrameTimes.first(where: { $0 >= wanted }) {
            let freeze = host(key - position)
            if freeze <= reach || keyFrameDrop == .any && freeze <= Self.maximumFreezeDuration { return key }
            return nil
        }
        // Already passed, but far less late than what is decoded now.
        if let key = packets.keyFrameTimes.last, host(wanted - key) <= lateness / 2 { return key }
        guard packets.endsPass else { return nil }
        // The next pass begins with a key frame.
        if seamFollows, host(packets.end - position) <= reach { return KeyFrameJump.endOfPass }
        // Nothing of the rest can come in time.
        return host(position - packets.end) > Self.lateThreshold ? KeyFrameJump.endOfPass : nil
    }

    /// One jump would follow the other.
    private func needsKeyFramesOnly(at now: HostTime) -> Bool {
        if let share = load.loadForAllFrames(rate: rate), share > Self.keyFramesOnlyLoad { return true }
        return lastJumpAt.map { now.nanoseconds(since: $0) < Self.minimumJumpInterval } ?? false
    }

    /// Key frames alone make a frame that moves.
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

    /// The frame that a jump went to is decoded, `lateness` host nanoseconds after it was due (below 0: before).
    mutating func jumpCompleted(lateness: Int64) {
        pendingJump = nil
        // One that comes too late costs more than one that comes too early.
        let change = lateness > 0 ? lateness : lateness / 4
        jumpLatency = min(Self.maximumJumpLatency, max(0, (jumpLatency ?? 0) + change))
    }

    /// The same in nanoseconds of item time.
    var jumpLatencyInItemTime: Int64 { media(jumpLatency ?? 0) }

    /// How long item time runs while host time runs for so long, and the other way round.
    private func media(_ host: Int64) -> Int64 { Self.nanoseconds(Double(host) * Double(abs(rate))) }
    private func host(_ media: Int64) -> Int64 {
        Self.nanoseconds(Double(media) / Double(max(abs(rate), 0.001)))
    }

    private static func nanoseconds(_ value: Double) -> Int64 { Int64(exactly: value.rounded()) ?? .max }
}
