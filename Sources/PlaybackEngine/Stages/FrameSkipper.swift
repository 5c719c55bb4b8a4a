import MediaCore
import PlayheadBackend

/// Leaves out packets that there is no time to decode, and counts the frames that are lost by it.
struct FrameSkipper {
    enum Verdict: Hashable {
        case decode
        /// Packets before this key frame were left out: the decoder is flushed, and then it gets the packet.
        case decodeAfterFlush
        case leaveOut
    }

    /// A packet that the decoder got and whose frame has not come out.
    private struct Sent {
        var time: ItemTime
        /// The decoder was free to leave it out.
        var isOptional: Bool
    }

    private(set) var request = SkipRequest()
    /// Frames that the next ones refer to were left out: nothing can be decoded before a key frame.
    private var needsKey = false
    /// They were left out by a jump, so the decoder still has frames from before it.
    private var hasJumped = false
    private var finishedJump: KeyFrameJump?
    /// The newest key frame of the pass that the decoder got.
    private var newestKey: ItemTime?
    /// Behind a gap: frames before this time refer to what was left out.
    private var floor: ItemTime?
    private var sent: [Sent] = []
    private(set) var lost = 0

    /// More than any decoder holds back. Frames of broken streams may not have their packets' times.
    private static let mostSent = 128

    mutating func setRequest(_ new: SkipRequest) {
        if request.level == .allButKeyFrames, new.level < .allButKeyFrames { needsKey = true }
        request = new
    }

    /// A new epoch or pass: what is sent next can be decoded by itself.
    mutating func begin() {
        lost += sent.count(where: \.isOptional)
        sent = []
        needsKey = false
        hasJumped = false
        newestKey = nil
        floor = nil
    }

    /// What to do with the packet that comes next.
    mutating func judge(_ packet: Packet, pass: Int, isReverse: Bool) -> Verdict {
        let time = ItemTime(packet.presentationTime)
        guard isWanted(packet, time, pass: pass, isReverse: isReverse) else {
            lost += 1
            return .leaveOut
        }
        let mustFlush = packet.isKeyFrame && hasJumped
        if packet.isKeyFrame {
            floor = needsKey ? time : nil
            newestKey = time
            needsKey = false
            hasJumped = false
        }
        if mustFlush {
            lost += sent.count
            sent = []
        }
        if let time { noteSent(time) }
        return mustFlush ? .decodeAfterFlush : .decode
    }

    private mutating func noteSent(_ time: ItemTime) {
        if sent.count >= Self.mostSent { sent.removeFirst() }
        sent.append(Sent(time: time, isOptional: request.level == .nonReference))
    }

    private mutating func isWanted(_ packet: Packet, _ time: ItemTime?, pass: Int, isReverse: Bool) -> Bool {
        if request.level == .allButKeyFrames {
            let isPast = !isReverse && pass == request.pass && time.map { $0 < request.position } ?? false
            needsKey = needsKey || isPast
            return packet.isKeyFrame && !isPast
        }
        if isBeforeJump(packet, time, pass: pass) {
            needsKey = true
            hasJumped = true
            return false
        }
        if packet.isKeyFrame { return true }
        if needsKey { return false }
        // It precedes the key frame in presentation order, and refers to frames before the gap.
        if let floor, let time, time < floor { return false }
        return true
    }

    private mutating func isBeforeJump(_ packet: Packet, _ time: ItemTime?, pass: Int) -> Bool {
        guard let jump = request.jump, jump != finishedJump else { return false }
        let isThere = packet.isKeyFrame && time.map { $0 >= jump.time } ?? (jump.time != KeyFrameJump.never)
        let isBehind = newestKey.map { $0 >= jump.time } ?? false
        guard pass != jump.pass || isThere || isBehind else { return true }
        finishedJump = jump
        return false
    }

    /// A frame came out. Those that were due before it and did not come were left out by the decoder.
    mutating func came(_ time: MediaTime) {
        guard !sent.isEmpty, let time = ItemTime(time) else { return }
        lost += sent.count { $0.time < time && $0.isOptional }
        sent.removeAll { $0.time <= time }
    }

    mutating func takeLost() -> Int {
        defer { lost = 0 }
        return lost
    }
}
