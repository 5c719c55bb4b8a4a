import MediaCore
import PlayheadBackend

/// The presentation times of the packets around a seek's target.
///
/// They identify the frame that is due at the target before the frame after it is decoded, and the frames that
/// are never shown. Only times are used, never durations, so the result is exact for variable frame rates.
/// Frames without a packet of the same time (hidden frames, packets without times) are never identified here;
/// the frame after them then decides.
struct SeekTimes {
    private let target: MediaTime
    /// The latest and the second latest time at or before the target.
    private(set) var latest: MediaTime?
    private var second: MediaTime?
    /// True if every time at or before the target is known, because all packets that are decoded later are due
    /// after it.
    private(set) var isComplete = false

    init(target: MediaTime) { self.target = target }

    /// Records a packet that is about to be decoded or is queued. The same packet may be recorded repeatedly. A packet
    /// that is only a reference has no frame, and its times may be later than those of packets after it.
    mutating func note(_ packet: Packet) {
        guard !packet.isDiscarded else { return }
        note(presentation: packet.presentationTime, decode: packet.decodeTime)
    }

    /// Records the times of a packet.
    mutating func note(presentation: MediaTime?, decode: MediaTime?) {
        if let decode, decode > target { isComplete = true }
        guard let time = presentation, time <= target, time != latest, time != second else {
            return
        }
        guard let latest else {
            self.latest = time
            return
        }
        if time > latest {
            second = latest
            self.latest = time
        } else {
            second = max(second ?? time, time)
        }
    }

    /// Records that no packet follows.
    mutating func noteEnd() { isComplete = true }

    /// Returns whether a frame at `time` ends before the target. Two later times are required, because the
    /// second field of an interlaced frame may be a packet with a time of its own.
    func endsBeforeTarget(_ time: MediaTime) -> Bool { second.map { $0 > time } ?? false }

    /// Returns whether the frame at `time` is due at the target.
    func isDue(_ time: MediaTime) -> Bool { isComplete && latest == time }
}

/// Checks whether a track's packets arrive in the order of their decode times, each no later than its
/// presentation time. This is not the case for containers that invent or omit times.
struct PacketOrder {
    private(set) var isReliable = true
    private var last: MediaTime?

    /// Records that packets from another position follow.
    mutating func reset() { last = nil }

    mutating func note(_ packet: Packet) {
        guard let decode = packet.decodeTime, let time = packet.presentationTime, decode <= time,
            last.map({ $0 < decode }) ?? true
        else {
            isReliable = false
            return
        }
        last = decode
    }
}
