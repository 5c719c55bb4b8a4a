import MediaCore

/// The owner of a packet's bytes, as the demuxer made it and the matching decoder knows it.
public protocol PacketPayload: AnyObject, Sendable {}
