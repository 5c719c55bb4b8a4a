/// The numbers of frames of a layer that one of its sinks received or lost.
public struct VideoSinkCounters: Hashable, Sendable {
    /// The number of frames that the sink received.
    public var framesDelivered = 0
    /// The number of frames that the sink did not receive because it was busy with earlier ones; see
    /// `LateFramePolicy`.
    public var framesDropped = 0

    /// Creates counters that are zero.
    public init() {}
}
