import MediaCore
import PlayheadBackend

/// Decoding goes on at the first key frame of a pass that is due at `time` or later. Packets before it are not
/// decoded.
struct KeyFrameJump: Hashable, Sendable {
    var pass: Int
    var time: ItemTime

    /// No key frame is due then, so nothing more of the pass is decoded.
    static let endOfPass = ItemTime.distantFuture
}
