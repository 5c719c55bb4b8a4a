internal import CFFmpeg
internal import MediaCore

/// Packets that were read in advance, to find the start times of tracks or to verify a seek.
struct PacketQueue {
    /// The number of packets that were returned after which the array of packets may be shortened.
    private static let shorteningCount = 64

    private var packets: [PacketOwner] = []
    private var first = 0
    /// The total size of the packets in bytes.
    private(set) var byteCount = 0

    var count: Int { packets.count - first }
    /// The packets, of which the first one is returned next.
    var contents: ArraySlice<PacketOwner> { packets[first...] }

    mutating func append(_ packet: PacketOwner) {
        byteCount &+= Int(max(0, packet.pointer.pointee.size))
        packets.append(packet)
    }

    mutating func popFirst() -> PacketOwner? {
        guard first < packets.count else { return nil }
        let packet = packets[first]
        first += 1
        byteCount &-= Int(max(0, packet.pointer.pointee.size))
        if first == packets.count {
            removeAll()
        } else if first >= Self.shorteningCount, first >= count {
            // A queue that is never empty must not keep all packets.
            packets.removeSubrange(..<first)
            first = 0
        }
        return packet
    }

    mutating func removeAll() {
        packets.removeAll()
        first = 0
        byteCount = 0
    }
}
