import MediaCore
import PlayheadBackend

/// What the loop asks a video track's decoding stage to leave out.
struct SkipRequest: Hashable, Sendable {
    /// It holds for packets of this epoch only.
    var epoch = Epoch()
    var skipping = DecodeSkipping.none
    /// Where playing stands. At `allButKeyFrames` what lies before is left out.
    var position = ItemTime.zero
    var pass = 0
    /// Each jump is carried out once.
    var jump: KeyFrameJump?
}
