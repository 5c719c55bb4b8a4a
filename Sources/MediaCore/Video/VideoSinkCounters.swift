/// What became of the frames of a layer at one of its sinks.
public struct VideoSinkCounters: Hashable, Sendable {
    /// Frames that the sink took.
    public var framesDelivered = 0
    /// Frames that it did not get because it was still busy with earlier ones; see `LateFramePolicy`.
    public var framesDropped = 0

    /// All zero.
    public init() {}
}
