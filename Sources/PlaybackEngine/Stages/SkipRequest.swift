import MediaCore
import PlayheadBackend

/// The loop's request to a video decoding stage to skip frames.
struct SkipRequest: Hashable, Sendable {
    /// The epoch to whose packets the request applies.
    var epoch = Epoch()
    var skipping = DecodeSkipping.none
    /// The playback position. With `allButKeyFrames`, packets before it are dropped.
    var position = ItemTime.zero
    var pass = 0
    /// The jump to carry out. Each jump is carried out once.
    var jump: KeyFrameJump?
}
