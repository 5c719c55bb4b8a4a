import DequeModule
import MediaCore
import PlayheadBackend

/// The packets that a search for a still image reads.
///
/// A few more packets are read than the decoder has received, because their times identify frames that are
/// never shown. Not thread-safe: confined to a lane.
final class ImagePackets {
    let demuxer: any Demuxer
    private var target: MediaTime = .zero
    /// The times of the packets since the last seek.
    private(set) var times = SeekTimes(target: .zero)
    /// Whether those times are reliable.
    private var order = PacketOrder()
    /// The last read or decoding error.
    private(set) var lastFault: MediaError?
    /// The packets that have been read and not yet decoded.
    private var upcoming: Deque<Packet> = []
    /// The times of the last packets with frames that were read, some of which the decoder still holds.
    private var recentTimes: Deque<(presentation: MediaTime?, decode: MediaTime?)> = []
    /// True if no packet follows them.
    private var isAtEnd = false
    /// The end of the packets that have been read since the last seek; infinite if it is not known.
    private var newestEnd: MediaTime?
    private var consecutiveFaults = 0
    /// The seek that precedes the next read.
    private var pendingSeek: (target: MediaTime, preference: SeekPreference)?

    /// The largest number of packets that fail to be read or decoded, without a frame in between.
    private static let maximumConsecutiveFaults = 100
    /// The number of packets that are read before the first of them is decoded. More would not help, because
    /// encoders place fewer non-reference frames in a row.
    private static let lookaheadPacketCount = 8
    /// The number of packets that a decoder holds at most, with as many threads as it may have.
    private static let maximumHeldCount = 64

    init(_ demuxer: any Demuxer) { self.demuxer = demuxer }

    /// Begins a search for the frame due at `target`.
    func begin(_ target: MediaTime) {
        self.target = target
        times = SeekTimes(target: target)
        lastFault = nil
        consecutiveFaults = 0
    }

    /// Continues at the current position with the search that has begun. The packets that the decoder still holds
    /// belong to it.
    func resume() {
        for time in recentTimes { times.note(presentation: time.presentation, decode: time.decode) }
        if isAtEnd { times.noteEnd() }
    }

    /// The next packet, if it has been read.
    var first: Packet? { upcoming.first }

    /// Moves to a sync point, whose packet is the next one. The seek is made when that packet is requested.
    func seek(to target: MediaTime, _ preference: SeekPreference) {
        upcoming = []
        recentTimes = []
        isAtEnd = false
        newestEnd = nil
        order.reset()
        // After a seek past the target, the times say nothing about the packets before that position.
        times = SeekTimes(target: self.target)
        pendingSeek = (target, preference)
    }

    /// Returns the next packet without removing it, or nil at the end of the data.
    func peek() throws(MediaError) -> Poll<Packet?> {
        if upcoming.isEmpty, !isAtEnd { guard try readNext() else { return .pending } }
        return .ready(upcoming.first)
    }

    /// The end of the data, if it has been reached.
    var dataEnd: MediaTime? { isAtEnd ? newestEnd : nil }

    /// Returns whether the packets show that the frame at `time` is due at the target.
    func isDue(_ time: MediaTime) -> Bool { order.isReliable && times.isDue(time) }

    /// Removes and returns the next packet, or returns nil at the end of the data.
    func next(looksAhead: Bool) throws(MediaError) -> Poll<Packet?> {
        let packetLimit = looksAhead && !times.isComplete ? Self.lookaheadPacketCount : 1
        while upcoming.count < packetLimit, !isAtEnd {
            do throws(MediaError) {
                guard try readNext() else {
                    if upcoming.isEmpty { return .pending }
                    break
                }
            } catch {
                // The packets that have been read are returned before the error.
                guard upcoming.isEmpty else { break }
                throw error
            }
            if times.isComplete { break }
        }
        return .ready(upcoming.popFirst())
    }

    /// Returns a packet to the front, because the decoder has no capacity for it.
    func unread(_ packet: Packet) { upcoming.prepend(packet) }

    /// Records that a frame was decoded.
    func noteFrame() { consecutiveFaults = 0 }

    /// Records an error. Throws it if it is permanent, or if there have been too many since the last frame.
    func note(_ error: MediaError) throws(MediaError) {
        consecutiveFaults += 1
        lastFault = error
        if consecutiveFaults >= Self.maximumConsecutiveFaults || error.code == .decoderFailed { throw error }
    }

    /// Reads a packet. Returns false if bytes are missing.
    private func readNext() throws(MediaError) -> Bool {
        if let seek = pendingSeek {
            guard case .ready = try demuxer.seek(to: seek.target, preference: seek.preference) else {
                return false
            }
            pendingSeek = nil
        }
        guard case .ready(let next) = try readPacket() else { return false }
        guard let packet = next else {
            isAtEnd = true
            return true
        }
        times.note(packet)
        if !packet.isDiscarded {
            if recentTimes.count >= Self.maximumHeldCount { recentTimes.removeFirst() }
            recentTimes.append((packet.presentationTime, packet.decodeTime))
        }
        order.note(packet)
        // As in playing, the end of data is unknown if it has packets without any time.
        let end = (packet.presentationTime ?? packet.decodeTime).map { $0 + (packet.duration ?? .zero) }
        newestEnd = max(newestEnd ?? .negativeInfinity, end ?? .positiveInfinity)
        upcoming.append(packet)
        return true
    }

    private func readPacket() throws(MediaError) -> Poll<Packet?> {
        while true {
            do throws(MediaError) {
                return try demuxer.read()
            } catch {
                guard error.isRetryable else { throw error }
                try note(error)
            }
        }
    }
}
