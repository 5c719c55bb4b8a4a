public import MediaCore

/// One compressed unit of one track.
public struct Packet: Sendable {
    /// `Track.id` of the track that it belongs to.
    public var track: Int
    /// Item time; nil where the container has none.
    public var presentationTime: MediaTime?
    /// Item time; nil where the container has none.
    public var decodeTime: MediaTime?
    /// nil where the container has none.
    public var duration: MediaTime?
    /// Bytes of compressed data, as budgets of queues count them.
    public var byteCount: Int
    /// Decoding can begin here. True of every packet of most kinds of audio.
    public var isKeyFrame: Bool
    /// The compressed data. Only a decoder of the backend that read the packet can open it.
    public var payload: any PacketPayload

    /// Times in item time; nil where the container has none.
    public init(
        track: Int,
        presentationTime: MediaTime?,
        decodeTime: MediaTime?,
        duration: MediaTime?,
        byteCount: Int,
        isKeyFrame: Bool,
        payload: any PacketPayload
    ) {
        self.track = track
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
        self.duration = duration
        self.byteCount = byteCount
        self.isKeyFrame = isKeyFrame
        self.payload = payload
    }
}
