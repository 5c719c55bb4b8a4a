internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// The bytes of a packet between the demuxer and a decoder.
///
/// `@unchecked Sendable`: the packet is written before this object is created and never again; libav's reference
/// counts, which readers change, are atomic.
final class FFmpegPacketPayload: PacketPayload, @unchecked Sendable {
    let owner: PacketOwner

    init(_ owner: PacketOwner) { self.owner = owner }
}
