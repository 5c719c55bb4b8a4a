import MediaCore
import PlayheadBackend

/// The state of stepping over frames, of which only the last one is shown.
struct Steps {
    /// The number of frames that are still to come.
    var pending = 0
    /// The number of frames that have been stepped over, and the last of them.
    var delivered = 0
    var last: VideoFrame?

    /// These steps from their beginning, for frames of another pipeline at the same position.
    var restarted: Steps { Steps(pending: pending + delivered) }
}
