public import MediaCore
import PlaybackEngine

/// Gets what an item plays, whoever plays it. Added with `PlayerItem.add(_:)`.
public protocol PlayerItemOutput: AnyObject, Sendable {
    /// The item that the output was added to last, not kept alive; set by the item.
    var item: PlayerItem? { get set }
    /// While an output for frames has this set the player's layers show nothing of the item, and are not ready for display.
    /// What outputs of other kinds say changes nothing: the player draws neither words nor metadata. Asked before each
    /// frame, on the player's control lane, which must not be held up; a `VideoOutput`'s counts at once. False by default.
    var suppressesPlayerRendering: Bool { get }
    /// A frame comes due. Called in order, on the player's control lane, which must not be held up.
    func take(_ frame: VideoFrame)
}

extension PlayerItemOutput {
    public var suppressesPlayerRendering: Bool { false }
    public func take(_ frame: VideoFrame) {}
}
