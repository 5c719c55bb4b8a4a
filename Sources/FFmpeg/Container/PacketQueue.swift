internal import CFFmpeg
internal import MediaCore

/// Packets that were read before anybody asked for them: to find where tracks start, or to check a seek.
struct PacketQueue {
    private var packets: [PacketOwner] = []
    private var first = 0
    /// Bytes of the packets held.
    private(set) var byteCount = 0

    var count: Int { packets.count - first }

    mutating func append(_ packet: PacketOwner) {
        byteCount &+= Int(max(0, packet.pointer.pointee.size))
        packets.append(packet)
    }

    mutating func popFirst() -> PacketOwner? {
        guard first < packets.count else { return nil }
        let packet = packets[first]
        first += 1
        byteCount &-= Int(max(0, packet.pointer.pointee.size))
        if first == packets.count { removeAll() }
        return packet
    }

    mutating func removeAll() {
        packets.removeAll()
        first = 0
        byteCount = 0
    }
}
