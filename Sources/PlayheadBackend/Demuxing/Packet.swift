public import MediaCore

/// A packet: one unit of compressed data of one track.
public struct Packet: Sendable {
    /// The `Track.id` of the track to which the packet belongs.
    public var track: Int
    /// The presentation time in item time, or nil if the container does not specify it.
    public var presentationTime: MediaTime?
    /// The decode time in item time, or nil if the container does not specify it.
    public var decodeTime: MediaTime?
    /// The duration, or nil if the container does not specify it.
    public var duration: MediaTime?
    /// The size of the compressed data in bytes, which counts against the limits of queues.
    public var byteCount: Int
    /// Whether decoding can begin with this packet. It is true for every packet of most audio codecs.
    public var isKeyFrame: Bool
    /// Whether the decoder gets other parameters with this packet, so that the format of the frames may change, such as
    /// their size. It is false by default.
    public var hasNewParameters = false
    /// Whether the decoder needs the packet only as a reference, and delivers nothing of it. It is false by default.
    ///
    /// An edit list leaves out media before and after each of its segments. Nothing is presented at the times of such
    /// packets, which may be later than the times of the next segment.
    public var isDiscarded = false
    /// Whether the packet begins with a field of an interlaced frame, whose other field may be the packet before or after
    /// it. It is false by default.
    ///
    /// A decoder that receives only one of the two packets drops its field, or combines it with one of another frame.
    public var isField = false
    /// The compressed data. Only a decoder of the backend that read the packet can access it.
    public var payload: any PacketPayload

    /// Creates a packet.
    ///
    /// - Parameters:
    ///   - track: The `Track.id` of the track.
    ///   - presentationTime: The presentation time in item time, or nil if it is unknown.
    ///   - decodeTime: The decode time in item time, or nil if it is unknown.
    ///   - duration: The duration, or nil if it is unknown.
    ///   - byteCount: The size of the compressed data in bytes.
    ///   - isKeyFrame: Whether decoding can begin with this packet.
    ///   - payload: The compressed data.
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
