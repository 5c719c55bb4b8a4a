import DequeModule
import MediaCore
import PlayheadBackend

/// The packets from a sync point behind what is being played up to where reading has come, so that a seek in
/// between hands them out again and reads nothing. Those that wait in a queue are the same ones, held twice.
struct PacketHistory {
    private var packets: Deque<Packet> = []
    /// The next one to hand out again; at the end of `packets` the demuxer goes on.
    private var cursor = 0
    /// Before this one packets of the sync track belong to an earlier group, and are not handed out.
    private var firstOfGroup = 0
    /// How many were forgotten, and where groups begin, counted with those.
    private var removedCount = 0
    private var groups: Deque<Int> = []
    private var bytes = 0
    private var lastEnd: MediaTime?
    /// The first packet is where the demuxer was sent, or the start of the data.
    private var isComplete = true
    private var startsAtZero = true
    /// A packet without a time: where it belongs cannot be told.
    private var hasUntimedPackets = false
    /// Behind the last packet the data ends.
    private(set) var hasEnded = false
    /// Whose key frames decoding can begin at; nil: at any packet.
    private let syncTrack: Int?
    /// Tracks whose packets must be there from the target on.
    private let tracks: Set<Int>

    init(syncTrack: Int?, tracks: Set<Int>) {
        self.syncTrack = syncTrack
        self.tracks = tracks
    }

    /// Audio is decoded from so long before the target, for decoders that take a while to tune in.
    private static let audioPreroll = MediaTime(value: 1, timescale: 4)

    /// From when on a seek would read nothing; nil: from nowhere.
    var availableStart: MediaTime? {
        guard !hasUntimedPackets, let first = groups.first else { return nil }
        return isComplete && startsAtZero ? .zero : packets[first - removedCount].presentationTime
    }

    /// From where to where a seek would read nothing; nil: nothing is held.
    var bufferedRange: (from: MediaTime, to: MediaTime)? {
        guard let availableStart, let end = lastEnd, availableStart < end else { return nil }
        return (availableStart, end)
    }

    /// A packet that is handed out again; nil: the demuxer has the next one.
    mutating func next() -> Packet? {
        while cursor < packets.count {
            defer { cursor += 1 }
            let packet = packets[cursor]
            if cursor < firstOfGroup, packet.track == syncTrack { continue }
            return packet
        }
        return nil
    }

    /// `next` may have another one.
    var hasNext: Bool { cursor < packets.count }

    mutating func append(_ packet: Packet) {
        if let time = packet.presentationTime {
            let end = time + (packet.duration ?? .zero)
            lastEnd = lastEnd.map { max($0, end) } ?? end
        } else {
            hasUntimedPackets = true
        }
        if isSync(packet) { groups.append(removedCount + packets.count) }
        packets.append(packet)
        bytes += packet.byteCount
        cursor = packets.count
    }

    mutating func end() { hasEnded = true }

    /// The demuxer was sent to `target`: what was read before does not lead up to it.
    mutating func begin(at target: MediaTime) {
        self = PacketHistory(syncTrack: syncTrack, tracks: tracks)
        startsAtZero = target <= .zero
    }

    /// Hands out again from the last sync point at or before `target`. False: it is not all there.
    mutating func rewind(to target: MediaTime) -> Bool {
        guard !hasUntimedPackets, !packets.isEmpty, reaches(target) else { return false }
        // All of the beginning, also what lies before zero, or has the same time again.
        if target <= .zero, isComplete, startsAtZero { return rewindToStart() }
        guard let group = group(before: target) else {
            return isComplete && startsAtZero && rewindToStart()
        }
        let isFirst = groups.first == group + removedCount
        // What an open group refers to is not there.
        if isFirst, isOpen(0), !(isComplete && startsAtZero) { return false }
        guard isComplete && isFirst || tracks.allSatisfy({ holds($0, from: target) }) else { return false }
        firstOfGroup = group
        let begin = (packets[group].presentationTime ?? .zero) - Self.audioPreroll
        cursor =
            packets[..<group].firstIndex { $0.track != syncTrack && ($0.presentationTime ?? .zero) >= begin }
            ?? group
        return true
    }

    private mutating func rewindToStart() -> Bool {
        cursor = 0
        firstOfGroup = 0
        return true
    }

    /// What lies at `target` was read, or there is nothing so late.
    private func reaches(_ target: MediaTime) -> Bool {
        if hasEnded { return true }
        let last = packets.last { syncTrack == nil || $0.track == syncTrack }
        guard let time = last?.decodeTime ?? last?.presentationTime else { return false }
        return time > target
    }

    private func group(before target: MediaTime) -> Int? {
        let limit = syncTrack == nil && !(isComplete && startsAtZero) ? target - Self.audioPreroll : target
        let found = groups.lastIndex { (packets[$0 - removedCount].presentationTime ?? .zero) <= limit }
        guard var found else { return nil }
        // Frames of an open group refer to the one before, and without it some decoders lose others too.
        if found > 0, isOpen(found) { found -= 1 }
        return groups[found] - removedCount
    }

    /// Some frames of the group are shown before its key frame.
    private func isOpen(_ group: Int) -> Bool {
        guard let syncTrack else { return false }
        let first = groups[group] - removedCount
        let end = group + 1 < groups.count ? groups[group + 1] - removedCount : packets.count
        let time = packets[first].presentationTime ?? .zero
        return packets[first..<end].contains {
            $0.track == syncTrack && ($0.presentationTime ?? time) < time
        }
    }

    private func holds(_ track: Int, from target: MediaTime) -> Bool {
        guard track != syncTrack else { return true }
        guard let first = packets.first(where: { $0.track == track })?.presentationTime else { return false }
        return first <= target
    }

    private func isSync(_ packet: Packet) -> Bool {
        guard let syncTrack else { return true }
        return packet.track == syncTrack && packet.isKeyFrame
    }

    /// Forgets whole groups that end before `time`, and as many as leave at most `limit` bytes besides the
    /// `waiting` ones, which are held by a queue all the same.
    mutating func trim(before time: MediaTime, bytes limit: Int, queuedBytes: Int) {
        guard cursor == packets.count else { return }
        while let first = groups.first {
            let second = groups.count > 1 ? groups[1] - removedCount : nil
            let exceedsLimit = bytes - queuedBytes > limit
            if let second, exceedsLimit || (packets[second].presentationTime ?? .zero) <= time {
                remove(second)
            } else if exceedsLimit, first > removedCount {
                remove(first - removedCount)
            } else if exceedsLimit {
                remove(packets.count)
            } else {
                return
            }
        }
        // No group begins in it.
        if bytes - queuedBytes > limit { remove(packets.count) }
    }

    private mutating func remove(_ count: Int) {
        for packet in packets.prefix(count) { bytes -= packet.byteCount }
        packets.removeFirst(count)
        removedCount += count
        while let first = groups.first, first < removedCount { groups.removeFirst() }
        cursor = packets.count
        firstOfGroup = 0
        isComplete = false
    }
}
