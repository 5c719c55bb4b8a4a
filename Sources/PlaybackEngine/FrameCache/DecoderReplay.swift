import MediaCore
import PlayheadBackend

/// The progress of replaying a record.
///
/// It is a class, so that its owner can change it in place while it is the payload of an enumeration case.
final class DecoderReplay {
    enum Answer {
        /// The packet is the recorded one.
        case accepted
        /// A frame must be received first.
        case outputFirst
        /// The packet differs from the recorded one.
        case diverged
    }

    let record: DecoderRecord
    private(set) var event = 0
    /// The number of outputs before the current event.
    private(set) var output = 0
    /// The index of the first event that is shown. Frames before it may be missing.
    private let firstNeeded: Int
    /// Whether no frames are missing after that event.
    private let isCompleteAfter: Bool
    /// The packets sent so far, in case the decoder must be sent them after all.
    private(set) var sent: [Sent] = []
    /// The time of the latest frame that was delivered.
    private(set) var lastDelivered: MediaTime?
    private(set) var deliveredCount = 0

    struct Sent {
        let packet: Packet?
        let skipping: DecodeSkipping
    }

    init(_ record: DecoderRecord, firstNeeded: Int = 0, isCompleteAfter: Bool = true) {
        self.record = record
        self.firstNeeded = firstNeeded
        self.isCompleteAfter = isCompleteAfter
    }

    var current: DecoderRecord.Event? {
        record.events.indices.contains(event) ? record.events[event] : nil
    }
    var isAtEnd: Bool { event == record.events.count }
    /// Whether the frame of the current event may be missing.
    var isOptional: Bool { event < firstNeeded }
    /// True if the frame that a seek shows has been delivered and the frames after it were not all recorded.
    var isExhausted: Bool { !isCompleteAfter && event > firstNeeded }
    /// The largest number of packets to accept after that frame has been delivered.
    private var sendLimit: Int?
    /// This many packets after a frame suffice to identify it as due, whatever the order of frames.
    private static let maximumReorderDepth = 16

    func accept(_ packet: Packet?, skipping: DecodeSkipping) -> Answer {
        switch (current, packet) {
        case (.output, _): return .outputFirst
        case (.packet(let identity), let packet?) where identity == DecoderHistory.PacketIdentity(packet):
            break
        case (.drain, nil): break
        default: return .diverged
        }
        event += 1
        sent.append(Sent(packet: packet, skipping: skipping))
        return .accepted
    }

    /// Moves past the current output event.
    ///
    /// - Parameter isDelivered: Whether the frame of the event is delivered. If false, it is dropped.
    func advanceOutput(isDelivered: Bool) {
        if isDelivered, case .output(let time)? = current {
            lastDelivered = max(time, lastDelivered ?? time)
            deliveredCount += 1
        }
        event += 1
        output += 1
    }

    /// Returns whether another packet is accepted although the frames after the current position were not
    /// recorded. The caller shows the due frame once the packets after it identify it.
    func acceptsMore() -> Bool {
        while case .output? = current { advanceOutput(isDelivered: false) }
        let most = sendLimit ?? sent.count + Self.maximumReorderDepth
        sendLimit = most
        return sent.count < most && !isAtEnd
    }
}
