public import MediaCore
import PlaybackEngine

/// A receiver of the frames, subtitles or metadata of an item, regardless of the player. It is added with
/// `PlayerItem.add(_:)`.
public protocol PlayerItemOutput: AnyObject, Sendable {
    /// The item that the output was added to last. It is not retained. `PlayerItem` sets the property.
    var item: PlayerItem? { get set }
    /// Whether the player's layers show nothing of the item, because the output's reader shows its frames. The layers
    /// are not ready for display then. The default is false.
    ///
    /// The player reads the property before each frame, on its control lane, which must not be blocked. A change of the
    /// property of a `VideoOutput` takes effect at once. A `LegibleOutput` suppresses the subtitles that are drawn into
    /// frames, and not the frames. Outputs for metadata have no influence.
    var suppressesPlayerRendering: Bool { get }
    /// Receives a frame when it becomes due. The method is called in order, on the player's control lane, which must
    /// not be blocked.
    ///
    /// - Parameter frame: The frame that is due.
    func receive(_ frame: VideoFrame)
}

extension PlayerItemOutput {
    /// Whether the layers show nothing of the item. False by default.
    public var suppressesPlayerRendering: Bool { false }
    /// Does nothing: by default an output ignores frames.
    public func receive(_ frame: VideoFrame) {}
}
