package import MediaCore
import PlayheadBackend

/// A report of a stage to the loop, beyond filling queues. It is sent on the stage's lane.
package enum StageReport: Sendable {
    /// The first frame of a decoder is later than the target, because the container's index is inexact.
    case startedLate(Epoch)
    /// One packet could not be read or decoded. Playback continues.
    case fault(MediaError)
    /// Reading waits for bytes, and continues on its own when they arrive. It is reported once per wait.
    case waiting(Epoch)
    /// A frame near the target of a seek can be shown before the frame at the target. The frame has its epoch.
    case preview(VideoFrame)
    /// Frames have been delivered. The report is for a loop that waits for frames.
    case delivered
    /// Reading has stopped because the limits are reached. The report is for a loop that waits for that.
    case idle
    /// The state of a stage has changed. The loop must check it, whatever it waits for.
    case changed
}
