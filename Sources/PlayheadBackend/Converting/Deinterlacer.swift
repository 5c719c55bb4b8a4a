public import MediaCore

/// Makes whole frames of two fields. Calls come one at a time.
public protocol Deinterlacer: AnyObject, Sendable {
    /// `frame` as it was at the moment of its earlier field: the lines of the other are made from those around them, and
    /// from the frames before and behind it in order of presentation. nil: there is none, or nobody has it. Time stamps, size,
    /// pixel format and colours are kept.
    func deinterlace(
        _ frame: VideoFrame,
        previous: VideoFrame?,
        next: VideoFrame?
    ) throws(MediaError) -> VideoFrame
}
