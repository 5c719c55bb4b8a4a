import MediaCore
import PlayheadBackend

/// Leaves out packets that there is no time to decode, and counts the frames that are lost by it.
struct FrameSkipper {
    enum Decision: Hashable {
        case decode
        /// Packets before this key frame were left out: the decoder is flushed, and then it gets the packet.
        case decodeAfterFlush
        case drop
    }

    /// A packet that the decoder got and whose frame has not come out.
    private struct Sent {
        var time: ItemTime
        /// The decoder was free to leave it out.
        var isOptional: Bool
    }

    private(set) var request = SkipRequest()
    /// Frames that the next ones refer to were left out: nothing can be decoded before a key frame.
    private var needsKeyFrame = false
    /// They were left out by a jump, so the decoder still has frames from before it.
    private var hasJumped = false
    private var finishedJump: KeyFrameJump?
    /// The newest key frame of the pass that the decoder got.
    private var newestKeyFrame: ItemTime?
    /// Behind a gap: frames before this time refer to what was left out.
    private var leadingFrameLimit: ItemTime?
    private var sent: [Sent] = []
    private(set) var droppedCount = 0

    /// More than any decoder holds back. Frames of broken streams may not have their packets' times.
    private static let maximumSentCount = 128

    mutating func setRequest(_ new: SkipRequest) {
        if request.skipping == .allButKeyFrames, new.skipping < .allButKeyFrames { needsKeyFrame = true }
        request = new
    }

    /// A new epoch or pass: what is sent next can be decoded by itself.
    mutating func begin() {
        droppedCount += sent.count(where: \.isOptional)
        sent = []
        needsKeyFrame = false
        hasJumped = false
        newestKeyFrame = nil
        leadingFrameLimit = nil
    }

    /// What to do with the packet that comes next.
    mutating func decide(_ packet: Packet, pass: Int, isReverse: Bool) -> Decision {
        let time = ItemTime(packet.presentationTime)
        guard isWanted(packet, time, pass: pass, isReverse: isReverse) else {
            droppedCount += 1
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
        if let time { noteSent(time) }
        return mustFlush ? .decodeAfterFlush : .decode
    }

    private mutating func noteSent(_ time: ItemTime) {
        if sent.count >= Self.maximumSentCount { sent.removeFirst() }
        sent.append(Sent(time: time, isOptional: request.skipping == .nonReference))
    }

    private mutating func isWanted(_ packet: Packet, _ time: ItemTime?, pass: Int, isReverse: Bool) -> Bool {
        if request.skipping == .allButKeyFrames {
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
        // It precedes the key frame in presentation order, and refers to frames before the gap.
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

    /// A frame came out. Those that were due before it and did not come were left out by the decoder.
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
