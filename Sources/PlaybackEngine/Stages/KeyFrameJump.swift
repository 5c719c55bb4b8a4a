import MediaCore
import PlayheadBackend

/// A jump of decoding to the first key frame of a pass that is due at or after `time`. The packets before it
/// are not decoded.
struct KeyFrameJump: Hashable, Sendable {
    var pass: Int
    var time: ItemTime

    /// The time of a jump over the rest of the pass: no key frame is due then.
    static let endOfPass = ItemTime.distantFuture
}
