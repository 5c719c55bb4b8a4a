internal import CFFmpeg
internal import DequeModule
internal import MediaCore

/// Packets that were read in advance, to find the start times of tracks, to verify a seek, or to find a section of timestamps.
struct PacketQueue {
    /// The packets, of which the first one is returned next.
    private(set) var contents: Deque<PacketOwner> = []
    /// The total size of the packets in bytes.
    private(set) var byteCount = 0

    var count: Int { contents.count }

    mutating func append(_ packet: PacketOwner) {
        byteCount &+= Int(max(0, packet.pointer.pointee.size))
        contents.append(packet)
    }

    mutating func popFirst() -> PacketOwner? {
        guard let packet = contents.popFirst() else { return nil }
        byteCount &-= Int(max(0, packet.pointer.pointee.size))
        return packet
    }

    mutating func removeAll() {
        contents.removeAll()
        byteCount = 0
    }
}
