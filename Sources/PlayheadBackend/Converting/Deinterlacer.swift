public import MediaCore

/// Converts interlaced frames to progressive ones. Calls are made one at a time, on any thread.
public protocol Deinterlacer: AnyObject, Sendable {
    /// Returns a progressive frame for the time of the earlier field of `frame`.
    ///
    /// The lines of the other field are computed from the surrounding lines and from the adjacent frames. The
    /// timestamp, size, pixel format and colors are kept.
    ///
    /// - Parameters:
    ///   - frame: An interlaced frame.
    ///   - previous: The preceding frame in presentation order, or nil if there is none or it is not available.
    ///   - next: The following frame in presentation order, or nil if there is none or it is not available.
    /// - Returns: The progressive frame.
    /// - Throws: `MediaError` with the code `.conversionFailed` if frames of this format cannot be
    ///   deinterlaced.
    func deinterlace(
        _ frame: VideoFrame,
        previous: VideoFrame?,
        next: VideoFrame?
    ) throws(MediaError) -> VideoFrame
}
