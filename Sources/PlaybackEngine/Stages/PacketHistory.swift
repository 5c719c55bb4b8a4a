import DequeModule
import MediaCore
import PlayheadBackend

/// The packets from a sync point before the playback position up to the read position.
///
/// A seek within this range returns them again and reads nothing. Packets that are still queued for a decoder
/// are held twice, as the same objects.
struct PacketHistory {
    private var packets: Deque<Packet> = []
    /// The index of the next packet to return again. At the end of `packets`, the demuxer continues.
    private var cursor = 0
    /// The index before which packets of the sync track belong to an earlier group and are not returned.
    private var firstOfGroup = 0
    /// The number of packets removed from the front, and the positions at which groups of pictures begin,
    /// counted including the removed packets.
    private var removedCount = 0
    private var groups: Deque<Int> = []
    private var bytes = 0
    /// The end of the last packet that has a frame.
    private var lastEnd: MediaTime?
    /// `isComplete`: the first packet is the one after the demuxer's last seek, or the first of the data.
    /// `startsAtZero`: that seek went to the start.
    private var isComplete = true
    private var startsAtZero = true
    /// True after a packet without a time, whose position is unknown.
    private var hasUntimedPackets = false
    /// True if the data ends after the last packet.
    private(set) var hasEnded = false
    /// The track at whose key frames decoding can begin. If nil, decoding can begin at any packet.
    private let syncTrack: Int?
    /// The tracks whose packets must be available from the target on.
    private let tracks: Set<Int>
    /// The lead of audio decoding before a target.
    private let audioPreroll: MediaTime

    init(syncTrack: Int?, tracks: Set<Int>, audioPreroll: MediaTime) {
        self.syncTrack = syncTrack
        self.tracks = tracks
        self.audioPreroll = audioPreroll
    }

    /// Whether the demuxer is at its beginning, and nothing has been read.
    var isAtBeginning: Bool { startsAtZero && packets.isEmpty && removedCount == 0 && !hasEnded }

    /// The earliest time to which a seek reads nothing, or nil if there is none.
    var availableStart: MediaTime? {
        guard !hasUntimedPackets, let first = groups.first else { return nil }
        return isComplete && startsAtZero ? .zero : packets[first - removedCount].presentationTime
    }

    /// The range within which a seek reads nothing, or nil if there is none.
    var bufferedRange: (from: MediaTime, to: MediaTime)? {
        guard let availableStart, let end = lastEnd, availableStart < end else { return nil }
        return (availableStart, end)
    }

    /// Returns the next packet to return again, or nil if the demuxer must read the next one.
    mutating func next() -> Packet? {
        while cursor < packets.count {
            defer { cursor += 1 }
            let packet = packets[cursor]
            if cursor < firstOfGroup, packet.track == syncTrack { continue }
            return packet
        }
        return nil
    }

    /// Whether `next()` may return another packet.
    var hasNext: Bool { cursor < packets.count }

    mutating func append(_ packet: Packet) {
        if let time = packet.presentationTime {
            let end = time + (packet.duration ?? .zero)
            if !packet.isDiscarded { lastEnd = lastEnd.map { max($0, end) } ?? end }
        } else {
            hasUntimedPackets = true
        }
        if isSync(packet) { groups.append(removedCount + packets.count) }
        packets.append(packet)
        bytes += packet.byteCount
        cursor = packets.count
    }

    mutating func end() { hasEnded = true }

    /// Discards the history, because the demuxer has been moved to `target` and the earlier packets are not
    /// contiguous with that position.
    mutating func begin(at target: MediaTime) {
        self = PacketHistory(syncTrack: syncTrack, tracks: tracks, audioPreroll: audioPreroll)
        startsAtZero = target <= .zero
    }

    /// Rewinds to the last sync point at or before `target`. Returns false if the packets from there on are not
    /// all available.
    mutating func rewind(to target: MediaTime) -> Bool {
        guard !hasUntimedPackets, !packets.isEmpty, reaches(target) else { return false }
        // The whole beginning, including packets before zero and packets with equal times.
        if target <= .zero, isComplete, startsAtZero { return rewindToStart() }
        guard let group = group(before: target) else {
            return isComplete && startsAtZero && rewindToStart()
        }
        let isFirst = groups.first == group + removedCount
        // The frames that an open group refers to are not available.
        if isFirst, isOpen(0), !(isComplete && startsAtZero) { return false }
        guard isComplete && isFirst || tracks.allSatisfy({ holds($0, from: target) }) else { return false }
        firstOfGroup = group
        let begin = (packets[group].presentationTime ?? .zero) - audioPreroll
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

    /// Returns whether the data at `target` has been read, or whether the data ends before it.
    private func reaches(_ target: MediaTime) -> Bool {
        if hasEnded { return true }
        let last = packets.last { syncTrack == nil || $0.track == syncTrack }
        guard let time = last?.decodeTime ?? last?.presentationTime else { return false }
        return time > target
    }

    private func group(before target: MediaTime) -> Int? {
        let limit = syncTrack == nil && !(isComplete && startsAtZero) ? target - audioPreroll : target
        let found = groups.lastIndex { (packets[$0 - removedCount].presentationTime ?? .zero) <= limit }
        guard var found else { return nil }
        // Frames of an open group refer to the group before. Without it, some decoders also lose other frames.
        if found > 0, isOpen(found) { found -= 1 }
        return groups[found] - removedCount
    }

    /// Returns whether frames of the group are presented before its key frame.
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

    /// Removes whole groups that end before `time`, and as many more as are needed to hold at most `limit`
    /// bytes.
    ///
    /// - Parameters:
    ///   - time: The start of the range to keep.
    ///   - limit: The largest number of bytes to keep besides `queuedBytes`.
    ///   - queuedBytes: The bytes of packets that a queue holds anyway.
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
        // No group begins in the remaining packets.
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
