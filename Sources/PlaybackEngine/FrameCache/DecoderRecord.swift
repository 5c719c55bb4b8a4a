import MediaCore
import PlayheadBackend

/// The packets sent to a decoder since a flush, and the times at which frames were returned. The frames
/// themselves are in the cache.
struct DecoderRecord {
    enum Event {
        case packet(DecoderHistory.PacketIdentity)
        case drain
        /// The output of a frame with this time.
        case output(MediaTime)
    }

    /// The identifier of the record, unique for a decoder.
    let id: Int
    private(set) var events: [Event] = []
    private(set) var packetCount = 0
    private(set) var outputCount = 0
    /// True if the decoder was drained, so that `events` extends to the end of the data.
    private(set) var isDrained = false
    /// True if all output has been returned.
    private(set) var hasEnded = false
    /// Up to this presentation time, non-reference frames may have been skipped.
    private var skippedUntil: MediaTime?
    private var lastDecodeTime: MediaTime?
    private var lastOutputTime: MediaTime?

    init(id: Int) { self.id = id }

    var first: DecoderHistory.PacketIdentity? {
        guard case .packet(let identity)? = events.first else { return nil }
        return identity
    }

    /// Records a packet, or the drain if `packet` is nil.
    ///
    /// - Parameters:
    ///   - packet: The packet that was sent.
    ///   - mayBeSkipped: Whether the decoder was allowed to skip its frame.
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

    /// Records an output. Returns false if the frame is not later than the one before.
    @discardableResult
    mutating func noteOutput(_ time: MediaTime) -> Bool {
        defer { lastOutputTime = time }
        outputCount += 1
        events.append(.output(time))
        return lastOutputTime.map { $0 < time } ?? true
    }

    /// The position of the frame that a seek shows.
    struct FramePosition {
        /// The index of the frame in `events`.
        let event: Int
        let time: MediaTime
        /// Whether no frame after it was skipped.
        let isCompleteAfter: Bool
    }

    /// Returns the position of the frame due at `target`, or nil if the record does not identify it or if that
    /// frame was skipped.
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
