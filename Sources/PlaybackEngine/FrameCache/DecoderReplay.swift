import MediaCore
import PlayheadBackend

/// Where repeating a record has come.
struct DecoderReplay {
    enum Answer {
        /// As it was when it was recorded.
        case accepted
        /// Something comes out first.
        case outputFirst
        /// It was otherwise.
        case diverged
    }

    let record: DecoderRecord
    private(set) var event = 0
    /// How many frames came before this place.
    private(set) var output = 0
    /// Frames before this event are not shown: they may be missing.
    private let firstNeeded: Int
    /// No frames are missing behind that event.
    private let isCompleteAfter: Bool
    /// What was sent so far, in case that the decoder must be given it after all.
    private(set) var sent: [Sent] = []
    /// The latest frame that was given out.
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
    /// The frame of the current event may be missing.
    var isOptional: Bool { event < firstNeeded }
    /// The frame that a seek shows was given, and those behind it were not all recorded.
    var isExhausted: Bool { !isCompleteAfter && event > firstNeeded }
    /// How many packets are sent in all, where that frame was given.
    private var sendLimit: Int?
    /// So many packets behind a frame tell that it is due, whatever the order of frames.
    private static let maximumReorderDepth = 16

    mutating func accept(_ packet: Packet?, skipping: DecodeSkipping) -> Answer {
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

    /// `isGiven`: the frame of the current event is handed out; else it is left out.
    mutating func advanceOutput(isDelivered: Bool) {
        if isDelivered, case .output(let time)? = current {
            lastDelivered = max(time, lastDelivered ?? time)
            deliveredCount += 1
        }
        event += 1
        output += 1
    }

    /// Whether another packet is wanted although what follows was not recorded: the caller shows the frame
    /// once the packets behind it tell that it is due.
    mutating func acceptsMore() -> Bool {
        while case .output? = current { advanceOutput(isDelivered: false) }
        let most = sendLimit ?? sent.count + Self.maximumReorderDepth
        sendLimit = most
        return sent.count < most && !isAtEnd
    }
}
