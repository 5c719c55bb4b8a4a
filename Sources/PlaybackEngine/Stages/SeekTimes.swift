import MediaCore
import PlayheadBackend

/// The presentation times of the packets around a seek's target. They tell which frame is due at the target
/// before the frame behind it is decoded, and which frames nobody will see.
///
/// Only times are used, never durations, so a variable frame rate is exact. Frames that do not come at the time
/// of a packet (hidden frames, packets without times) are never settled here: the frame behind decides then.
struct SeekTimes {
    private let target: MediaTime
    /// The two latest times at or before the target.
    private(set) var latest: MediaTime?
    private var second: MediaTime?
    /// What is decoded later is due behind the target: every time at or before it is known.
    private(set) var isComplete = false

    init(target: MediaTime) { self.target = target }

    /// Notes a packet that is about to be decoded, or waits for it. The same one may come again.
    mutating func note(_ packet: Packet) {
        if let time = packet.decodeTime, time > target { isComplete = true }
        guard let time = packet.presentationTime, time <= target, time != latest, time != second else {
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

    /// No packet follows.
    mutating func noteEnd() { isComplete = true }

    /// Whether a frame at `time` is over before the target. Two later times are asked for, because the second
    /// field of an interlaced frame may be a packet with a time of its own.
    func endsBeforeTarget(_ time: MediaTime) -> Bool { second.map { $0 > time } ?? false }

    /// Whether the frame at `time` is due at the target.
    func isDue(_ time: MediaTime) -> Bool { isComplete && latest == time }
}

/// Whether a track's packets come in the order of their decode times, each before it is presented. Containers
/// that make up times, or leave them out, do not.
struct PacketOrder {
    private(set) var isReliable = true
    private var last: MediaTime?

    /// Packets from another place follow.
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
