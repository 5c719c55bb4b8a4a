public import MediaCore

/// The selection of the frames that `Asset.frames(_:pixelFormat:size:gravity:in:)` delivers.
public enum FrameSampling: Hashable, Sendable {
    /// Every frame, in presentation order.
    case all
    /// The frames due at the middles of `count` equal parts of the range.
    ///
    /// A count that is not positive selects no frame. The duration of the asset must be known.
    case uniform(count: Int)
    /// The frames due at the start of the range and each `1 / perSecond` seconds after it, at most `limit`.
    ///
    /// A frame is also due at a time if its container, which rounds times, begins it up to half a tick later. A frame
    /// that is due several times is delivered several times. A rate that is not a positive, finite number is
    /// an error with the code `.invalidArgument`. A limit that is not positive selects no frame.
    case rate(perSecond: Double, limit: Int? = nil)
    /// The frames due at the given item times, in this order. Duplicates are allowed.
    ///
    /// The range has no effect. A time before the start selects the first frame and a time after the end the last one.
    /// An invalid or indefinite time is an error with the code `.invalidArgument` at its position. Frames are decoded in
    /// ascending order of time, as many at once as fit into 64 MiB and at most 128, so the order of the times costs little.
    case times([MediaTime])
    /// Every key frame, in presentation order. No other frame is decoded.
    case keyFrames
}
