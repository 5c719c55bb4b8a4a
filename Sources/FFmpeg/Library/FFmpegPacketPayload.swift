internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// A packet's bytes on their way from the demuxer to a decoder.
///
/// Unchecked: the packet is written before this object is made and never again; libav's reference counts,
/// which readers change, are atomic.
final class FFmpegPacketPayload: PacketPayload, @unchecked Sendable {
    let owner: PacketOwner

    init(_ owner: PacketOwner) { self.owner = owner }
}
