internal import CFFmpeg

/// The first packet of each stream, as it was read from the start of the container. A seek to zero compares it to
/// verify that it has reached the start, because a loop must repeat every sample.
struct StartFingerprint {
    struct PacketSignature: Equatable {
        var presentation: Int64
        var decode: Int64
        var position: Int64
        var size: Int32
        var skippedSamples: Int64

        init(_ packet: UnsafePointer<AVPacket>) {
            presentation = packet.pointee.pts
            decode = packet.pointee.dts
            position = packet.pointee.pos
            size = packet.pointee.size
            skippedSamples = PacketSideData.skippedAtStart(packet)
        }
    }

    /// The number of packets among which signatures are recorded. A track that starts later is not worth reading
    /// further.
    static let packetLimit = 256

    private(set) var signatures: [Int32: PacketSignature] = [:]
    private var packetCount = 0
    /// Whether reading began at the start. After a seek, packets are not recorded.
    var isReadingFromStart = true

    mutating func record(_ packet: PacketOwner) {
        let index = packet.pointer.pointee.stream_index
        guard isReadingFromStart, packetCount < StartFingerprint.packetLimit else { return }
        packetCount += 1
        guard signatures[index] == nil else { return }
        signatures[index] = PacketSignature(packet.pointer)
    }
}
