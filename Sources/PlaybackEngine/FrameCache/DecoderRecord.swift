import MediaCore
import PlayheadBackend

/// What a decoder was given from a flush on, and when something came out. The frames themselves are in the
/// cache.
struct DecoderRecord {
    enum Event {
        case packet(DecoderHistory.PacketIdentity)
        case drain
        /// The time of the frame.
        case output(MediaTime)
    }

    /// Distinguishes the records of a decoder.
    let id: Int
    private(set) var events: [Event] = []
    private(set) var packetCount = 0
    private(set) var outputCount = 0
    /// The decoder was drained: `events` goes to the end of the data.
    private(set) var isDrained = false
    /// All of it came out.
    private(set) var hasEnded = false
    /// Packets presented at or before this time were decoded without those that no other frame refers to.
    private var skippedUntil: MediaTime?
    private var lastDecodeTime: MediaTime?
    private var lastOutputTime: MediaTime?

    init(id: Int) { self.id = id }

    var first: DecoderHistory.PacketIdentity? {
        guard case .packet(let identity)? = events.first else { return nil }
        return identity
    }

    /// `isReduced`: the decoder was free to leave the packet's frame out.
    mutating func note(_ packet: Packet?, mayBeSkipped: Bool) {
        guard let packet else {
            isDrained = true
            return events.append(.drain)
        }
        packetCount += 1
        lastDecodeTime = packet.decodeTime
        if mayBeSkipped, let time = packet.presentationTime { skippedUntil = max(time, skippedUntil ?? time) }
        events.append(.packet(DecoderHistory.PacketIdentity(packet)))
    }

    mutating func noteEnd() { hasEnded = true }

    /// False: the frame is not later than the one before.
    @discardableResult
    mutating func noteOutput(_ time: MediaTime) -> Bool {
        defer { lastOutputTime = time }
        outputCount += 1
        events.append(.output(time))
        return lastOutputTime.map { $0 < time } ?? true
    }

    /// Where the frame is that a seek shows.
    struct FramePosition {
        /// Its index in `events`.
        let event: Int
        let time: MediaTime
        /// No frame behind it was left out.
        let isCompleteAfter: Bool
    }

    /// nil: the record does not tell which frame is due, or that frame was left out.
    func position(dueAt target: MediaTime) -> FramePosition? {
        let isCertain = isDrained || lastDecodeTime.map { $0 > target } ?? false
        guard isCertain || lastOutputTime.map({ $0 > target }) ?? false else { return nil }
        var due: MediaTime?
        for case .packet(let identity) in events {
            guard let time = identity.presentation else { return nil }
            if time <= target, due.map({ $0 < time }) ?? true { due = time }
        }
        guard let due,
            let event = events.lastIndex(where: { if case .output(due) = $0 { true } else { false } })
        else { return nil }
        return FramePosition(event: event, time: due, isCompleteAfter: skippedUntil.map { $0 <= due } ?? true)
    }
}
