import MediaCore
import PlaybackEngine

/// The observable properties of a looper.
struct LooperFacts: Sendable {
    var status = PlayerLooper.Status.unknown
    var error: PlaybackError?
    var loopCount = 0
}
