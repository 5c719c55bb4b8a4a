internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// Owns an AVPacket and the reference that it holds.
final class PacketOwner {
    let pointer: UnsafeMutablePointer<AVPacket>

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

    func unreference() { av_packet_unref(pointer) }
}
