internal import MediaCore
internal import PlayheadBackend

/// The packets that may have to be decoded again: all packets from the last key frame whose own frame has been
/// returned.
///
/// After a key frame there may be packets of frames that are presented before it and refer to earlier frames. These
/// frames have been returned before the key frame's own frame, because frames are returned in presentation order.
struct SentPackets {
    struct Sent {
        /// The packet, or nil for the end of the data.
        let packet: Packet?
        let skipping: DecodeSkipping
    }

    private(set) var sent: [Sent] = []
    private var byteCount = 0
    /// Whether packets are missing, because a group of pictures was too large to keep.
    private(set) var isIncomplete = false
    /// The key frames after the first packet, by their index in `sent`.
    private var keyFrames: [(index: Int, time: MediaTime)] = []
    /// The latest time of a frame that was returned.
    private(set) var newest: MediaTime?

    /// The size limit, which is ten seconds at 50 Mbit/s.
    static let byteLimit = 64 << 20

    mutating func record(_ packet: Packet?, _ skipping: DecodeSkipping) {
        if isIncomplete, let packet {
            guard packet.isKeyFrame else { return }
            // From this key frame on, all packets are known. Frames from before it that are returned later cannot be
            // decoded again.
            isIncomplete = false
        }
        if let packet, packet.isKeyFrame, !sent.isEmpty, let time = packet.presentationTime {
            keyFrames.append((sent.count, time))
        }
        sent.append(Sent(packet: packet, skipping: skipping))
        byteCount += packet?.byteCount ?? 0
        guard byteCount > Self.byteLimit else { return }
        removeAll()
        isIncomplete = true
    }

    mutating func frameReceived(at time: MediaTime) {
        newest = newest.map { max($0, time) } ?? time
        guard let key = keyFrames.last(where: { $0.time <= time }) else { return }
        for element in sent[..<key.index] { byteCount -= element.packet?.byteCount ?? 0 }
        sent.removeSubrange(..<key.index)
        keyFrames = keyFrames.filter { $0.index > key.index }.map { ($0.index - key.index, $0.time) }
    }

    private mutating func removeAll() {
        sent = []
        keyFrames = []
        byteCount = 0
    }
}
