import MediaCore
import PlaybackEngine

/// What can be observed of a looper, as one value.
struct LooperFacts: Sendable {
    var status = PlayerLooper.Status.unknown
    var error: PlaybackError?
    var loopCount = 0
}
