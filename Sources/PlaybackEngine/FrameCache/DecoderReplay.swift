import MediaCore
import PlayheadBackend

/// Where repeating a record has come.
struct DecoderReplay {
    enum Answer {
        /// As it was when it was recorded.
        case taken
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
    private let isCompleteBehind: Bool
    /// What was sent so far, in case that the decoder must be given it after all.
    private(set) var sent: [Sent] = []
    /// The latest frame that was given out.
    private(set) var given: MediaTime?
    private(set) var givenCount = 0

    struct Sent {
        let packet: Packet?
        let skipping: DecodeSkipping
    }

    init(_ record: DecoderRecord, firstNeeded: Int = 0, isCompleteBehind: Bool = true) {
        self.record = record
        self.firstNeeded = firstNeeded
        self.isCompleteBehind = isCompleteBehind
    }

    var current: DecoderRecord.Event? {
        record.events.indices.contains(event) ? record.events[event] : nil
    }
    var isAtEnd: Bool { event == record.events.count }
    /// The frame of the current event may be missing.
    var isUnneeded: Bool { event < firstNeeded }
    /// The frame that a seek shows was given, and those behind it were not all recorded.
    var isOver: Bool { !isCompleteBehind && event > firstNeeded }
    /// How many packets are sent in all, where that frame was given.
    private var sentAtMost: Int?
    /// So many packets behind a frame tell that it is due, whatever the order of frames.
    private static let mostReordered = 16

    mutating func take(_ packet: Packet?, skipping: DecodeSkipping) -> Answer {
        switch (current, packet) {
        case (.output, _): return .outputFirst
        case (.packet(let mark), let packet?) where mark == DecoderHistory.Mark(packet): break
        case (.drain, nil): break
        default: return .diverged
        }
        event += 1
        sent.append(Sent(packet: packet, skipping: skipping))
        return .taken
    }

    /// `isGiven`: the frame of the current event is handed out; else it is left out.
    mutating func passOutput(isGiven: Bool) {
        if isGiven, case .output(let time)? = current {
            given = max(time, given ?? time)
            givenCount += 1
        }
        event += 1
        output += 1
    }

    /// Whether another packet is wanted although what follows was not recorded: the caller shows the frame
    /// once the packets behind it tell that it is due.
    mutating func wantsMore() -> Bool {
        while case .output? = current { passOutput(isGiven: false) }
        let most = sentAtMost ?? sent.count + Self.mostReordered
        sentAtMost = most
        return sent.count < most && !isAtEnd
    }
}
