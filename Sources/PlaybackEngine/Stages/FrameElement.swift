package import MediaCore
import PlayheadBackend

/// An element of the queue from a decoding stage to the presentation scheduler.
package enum FrameElement: Sendable {
    case video(VideoFrame)
    case audio(AudioBuffer)
    /// The end of a pass.
    ///
    /// `end` is the end of its last frame in nanoseconds of item time, or nil if the track had no frame in this
    /// pass. The error is non-nil if the data ended early.
    case endOfPass(Int, end: Int64?, MediaError?)
}
