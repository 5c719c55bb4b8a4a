internal import CFFmpeg
internal import MediaCore
internal import PlayheadBackend

/// The bytes of a packet between the demuxer and a decoder.
///
/// `@unchecked Sendable`: the packet is written before this object is created and never again; libav's reference
/// counts, which readers change, are atomic.
final class FFmpegPacketPayload: PacketPayload, @unchecked Sendable {
    let owner: PacketOwner
    /// The extradata that the decoder needs for the packet, or nil for that of the track.
    let extradata: [UInt8]?

    init(_ owner: PacketOwner, extradata: [UInt8]? = nil) {
        self.owner = owner
        self.extradata = extradata
    }
}
