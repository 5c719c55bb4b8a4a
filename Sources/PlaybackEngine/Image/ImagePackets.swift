import DequeModule
import MediaCore
import PlayheadBackend

/// The packets that a search for a still reads: a few more than the decoder has had, for their times tell which frames
/// nobody will see. Not safe for threads: confined to a lane.
final class ImagePackets {
    let demuxer: any Demuxer
    private var target: MediaTime = .zero
    /// Of the packets from the place on where reading landed last.
    private(set) var times = SeekTimes(target: .zero)
    /// Whether those times can be believed.
    private var order = PacketOrder()
    /// What could not be read, or decoded, last.
    private(set) var lastFault: MediaError?
    /// What was read and waits for the decoder.
    private var upcoming: Deque<Packet> = []
    /// No packet follows those.
    private var isAtEnd = false
    private var consecutiveFaults = 0

    /// Packets in a row that may be unreadable or undecodable.
    private static let maximumConsecutiveFaults = 100
    /// Packets that are read before the first of them is decoded. More would tell no more: encoders put fewer frames
    /// between two that others refer to.
    private static let lookaheadPacketCount = 8

    init(_ demuxer: any Demuxer) { self.demuxer = demuxer }

    /// A search begins for the frame due at `target`.
    func begin(_ target: MediaTime) {
        self.target = target
        times = SeekTimes(target: target)
        lastFault = nil
        consecutiveFaults = 0
    }

    /// The next one, if it has been read.
    var first: Packet? { upcoming.first }

    /// Reading goes on at a sync point, whose packet is the next.
    func seek(to target: MediaTime, _ preference: SeekPreference) throws(MediaError) {
        upcoming = []
        isAtEnd = false
        order.reset()
        // A landing that was too late says nothing of what lies before it.
        times = SeekTimes(target: self.target)
        try demuxer.seek(to: target, preference: preference)
        try readNext()
    }

    /// No later frame is due at the target than the one at `time`, as far as packets tell.
    func isDue(_ time: MediaTime) -> Bool { order.isReliable && times.isDue(time) }

    /// Takes the next one. nil: there is none.
    func next(looksAhead: Bool) throws(MediaError) -> Packet? {
        let packetLimit = looksAhead && !times.isComplete ? Self.lookaheadPacketCount : 1
        while upcoming.count < packetLimit, !isAtEnd {
            do throws(MediaError) {
                try readNext()
            } catch {
                // The packets that are there come first.
                guard upcoming.isEmpty else { break }
                throw error
            }
            if times.isComplete { break }
        }
        return upcoming.popFirst()
    }

    /// The decoder has no room for it yet.
    func unread(_ packet: Packet) { upcoming.prepend(packet) }

    /// Throws `error` where it is final, or one too many.
    func note(_ error: MediaError) throws(MediaError) {
        consecutiveFaults += 1
        lastFault = error
        if consecutiveFaults >= Self.maximumConsecutiveFaults || error.code == .decoderFailed { throw error }
    }

    private func readNext() throws(MediaError) {
        guard let packet = try readPacket() else {
            isAtEnd = true
            return
        }
        times.note(packet)
        order.note(packet)
        upcoming.append(packet)
    }

    private func readPacket() throws(MediaError) -> Packet? {
        while true {
            do throws(MediaError) {
                return try demuxer.read()
            } catch {
                guard error.isRetryable, error.code != .notReady else { throw error }
                try note(error)
            }
        }
    }
}
