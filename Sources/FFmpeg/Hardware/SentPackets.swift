internal import MediaCore
internal import PlayheadBackend

/// What a decoder was sent that may have to be decoded again: from the last key frame on whose own frame has come out.
///
/// Behind a key frame there may be frames that are shown before it and refer to what was before. They have come out when
/// the key frame's own has, for frames come in the order in which they are shown.
struct SentPackets {
    struct Sent {
        /// nil: the end of the data.
        let packet: Packet?
        let skipping: DecodeSkipping
    }

    private(set) var sent: [Sent] = []
    private var byteCount = 0
    /// Nothing is kept any more: a group of pictures was too large.
    private(set) var isIncomplete = false
    /// Key frames behind the first packet, by their place in `sent`.
    private var keyFrames: [(index: Int, time: MediaTime)] = []
    /// The newest frame that came out.
    private(set) var newest: MediaTime?

    /// Ten seconds at 50 Mbit/s.
    static let byteLimit = 64 << 20

    mutating func record(_ packet: Packet?, _ skipping: DecodeSkipping) {
        if isIncomplete, let packet {
            guard packet.isKeyFrame else { return }
            // From here on it is known again; frames from before it that come later cannot be decoded again.
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
