package import MediaCore
import PlayheadBackend

/// What flows from a decoder to the renderer.
package enum FrameElement: Sendable {
    case video(VideoFrame)
    case audio(AudioBuffer)
    /// `end`: where the last frame of the pass stops being due, in nanoseconds of item time; nil when the
    /// track had no frame in this pass.
    case endOfPass(Int, end: Int64?, MediaError?)
}
