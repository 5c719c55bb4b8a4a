import MediaCore
import PlayheadBackend

/// Skips packets when decoding is too slow, and counts the frames that are lost as a result.
struct FrameSkipper {
    enum Decision: Hashable {
        case decode
        /// The decoder must be flushed before it receives this key frame, because the packets before it were
        /// dropped.
        case decodeAfterFlush
        case drop
    }

    /// A packet that was sent and whose frame has not been decoded yet.
    private struct Sent {
        var time: ItemTime
        /// True if the decoder was allowed to skip the frame.
        var isOptional: Bool
    }

    private(set) var request = SkipRequest()
    /// The frames that the decoder may skip, for the last packet.
    private(set) var level = DecodeSkipping.none
    /// Non-nil if the last packet was the first field of a frame; true if it was a key frame.
    private var firstFieldIsKey: Bool?
    /// Whether the last packet was a field of a key frame that was sent. A field that follows may be the second one of
    /// that frame. It is sent too, and the decoder skips it if it is of another frame.
    private var followsKeyField = false
    /// True after reference frames were dropped: nothing can be decoded before the next key frame.
    private var needsKeyFrame = false
    /// True if they were dropped by a jump, so that the decoder still holds frames from before it.
    private var hasJumped = false
    private var finishedJump: KeyFrameJump?
    /// The time of the latest key frame of the pass that was sent.
    private var newestKeyFrame: ItemTime?
    /// After a gap, frames before this time refer to dropped frames.
    private var leadingFrameLimit: ItemTime?
    private var sent: [Sent] = []
    private(set) var droppedCount = 0

    /// More packets than any decoder delays. Frames of damaged streams may not have the times of their packets.
    private static let maximumSentCount = 128

    mutating func setRequest(_ new: SkipRequest) {
        if request.skipping == .allButKeyFrames, new.skipping < .allButKeyFrames {
            // No packet was dropped after a key frame that was sent last, and the next one may be its second field.
            if followsKeyField, let newestKeyFrame {
                leadingFrameLimit = newestKeyFrame
            } else {
                needsKeyFrame = true
            }
        }
        request = new
    }

    /// Begins an epoch or a pass, whose first packet can be decoded by itself.
    mutating func begin() {
        droppedCount += sent.count(where: \.isOptional)
        sent = []
        needsKeyFrame = false
        followsKeyField = false
        firstFieldIsKey = nil
        hasJumped = false
        newestKeyFrame = nil
        leadingFrameLimit = nil
    }

    /// Returns what to do with the next packet.
    mutating func decide(_ packet: Packet, pass: Int, isReverse: Bool) -> Decision {
        let time = ItemTime(packet.presentationTime)
        if !mustKeepLevel(packet) { level = request.skipping }
        let isSent = isWanted(packet, time, pass: pass, isReverse: isReverse)
        followsKeyField = isSent && packet.isKeyFrame && packet.isField
        guard isSent else {
            if !packet.isDiscarded { droppedCount += 1 }
            return .drop
        }
        let mustFlush = packet.isKeyFrame && hasJumped
        if packet.isKeyFrame {
            leadingFrameLimit = needsKeyFrame ? time : nil
            newestKeyFrame = time
            needsKeyFrame = false
            hasJumped = false
        }
        if mustFlush {
            droppedCount += sent.count
            sent = []
        }
        if let time, !packet.isDiscarded { noteSent(time, isKeyFrame: packet.isKeyFrame) }
        return mustFlush ? .decodeAfterFlush : .decode
    }

    /// Records a packet that the decoder received before a seek after which it continues. The next packet may be the
    /// second field of the same frame.
    mutating func noteReceived(_ packet: Packet) {
        _ = mustKeepLevel(packet)
        followsKeyField = packet.isKeyFrame && packet.isField
        if packet.isKeyFrame { newestKeyFrame = ItemTime(packet.presentationTime) }
    }

    /// Returns whether a packet is the second field of a frame that is no key frame. The decoder skips both fields of a
    /// frame, or none, because it combines a second field alone with a field of another frame.
    private mutating func mustKeepLevel(_ packet: Packet) -> Bool {
        let first = firstFieldIsKey
        // The second field of a key frame may be marked as a key frame, too. Others that are marked are first fields.
        let isSecond = packet.isField && (packet.isKeyFrame ? first == true : first != nil)
        firstFieldIsKey = packet.isField && !isSecond ? packet.isKeyFrame : nil
        return isSecond && first == false
    }

    private mutating func noteSent(_ time: ItemTime, isKeyFrame: Bool) {
        if sent.count >= Self.maximumSentCount { sent.removeFirst() }
        let isOptional = level == .nonReference || level == .allButKeyFrames && !isKeyFrame
        sent.append(Sent(time: time, isOptional: isOptional))
    }

    private mutating func isWanted(_ packet: Packet, _ time: ItemTime?, pass: Int, isReverse: Bool) -> Bool {
        if request.skipping == .allButKeyFrames {
            // Also if the position has passed it meanwhile, because the decoder has received the first field.
            if followsKeyField, packet.isField, !packet.isKeyFrame { return true }
            let isPast = !isReverse && pass == request.pass && time.map { $0 < request.position } ?? false
            needsKeyFrame = needsKeyFrame || isPast
            return packet.isKeyFrame && !isPast
        }
        if isBeforeJump(packet, time, pass: pass) {
            needsKeyFrame = true
            hasJumped = true
            return false
        }
        if packet.isKeyFrame { return true }
        if needsKeyFrame { return false }
        // A leading frame precedes the key frame in presentation order and refers to frames before the gap.
        if let leadingFrameLimit, let time, time < leadingFrameLimit { return false }
        return true
    }

    private mutating func isBeforeJump(_ packet: Packet, _ time: ItemTime?, pass: Int) -> Bool {
        guard let jump = request.jump, jump != finishedJump else { return false }
        let isTarget =
            packet.isKeyFrame && time.map { $0 >= jump.time } ?? (jump.time != KeyFrameJump.endOfPass)
        let isPastTarget = newestKeyFrame.map { $0 >= jump.time } ?? false
        guard pass != jump.pass || isTarget || isPastTarget else { return true }
        finishedJump = jump
        return false
    }

    /// Records that a frame was decoded. Earlier frames that were not returned have been skipped by the
    /// decoder.
    mutating func noteOutput(_ time: MediaTime) {
        guard !sent.isEmpty, let time = ItemTime(time) else { return }
        droppedCount += sent.count { $0.time < time && $0.isOptional }
        sent.removeAll { $0.time <= time }
    }

    mutating func resetDroppedCount() -> Int {
        defer { droppedCount = 0 }
        return droppedCount
    }
}
