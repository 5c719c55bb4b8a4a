import MediaCore
import PlayheadBackend

/// Frames that are stepped over: only the last one is shown.
struct Steps {
    /// Those that are still to come.
    var pending = 0
    /// Those that were taken so far, and the last of them.
    var delivered = 0
    var last: VideoFrame?

    /// None was taken yet: other frames of the same place come instead.
    var restarted: Steps { Steps(pending: pending + delivered) }
}
