import MediaCore

/// The owner of a packet's bytes. The demuxer creates it, and the matching decoder of the same backend accesses
/// its contents.
public protocol PacketPayload: AnyObject, Sendable {}
