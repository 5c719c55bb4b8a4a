internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// Owns an AVPacket and the reference that it holds.
final class PacketOwner {
    let pointer: UnsafeMutablePointer<AVPacket>
    /// The extradata that the decoder needs for the packet, or nil for that of its stream.
    var extradata: [UInt8]?
    /// Whether the packet begins with a field; see `Packet.isField`.
    var isField = false

    init() throws(MediaError) {
        guard let pointer = av_packet_alloc() else {
            throw MediaError(.resourceLimit, "no memory for a packet", isRetryable: true)
        }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }

    /// Adds side data, in place of other side data of the same type. Does nothing if there are no bytes, or no memory for
    /// them.
    func attach(_ bytes: [UInt8], as type: AVPacketSideDataType) {
        guard !bytes.isEmpty, let sideData = av_packet_new_side_data(pointer, type, bytes.count) else {
            return
        }
        sideData.update(from: bytes, count: bytes.count)
    }

    func unreference() { av_packet_unref(pointer) }
}
