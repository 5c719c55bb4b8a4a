public import Foundation
import MediaCore
import Playhead

/// A track of an item, which can be enabled and disabled. Objects for the same track are equal if it was both times
/// enabled or both times disabled when they were read from the item.
@preconcurrency @MainActor open class AVPlayerItemTrack: NSObject {
    /// The track as it was read from the item.
    private nonisolated let track: PlayerItemTrack
    private nonisolated let item: WeakReference<PlayerItem>
    private nonisolated let asset: AVAsset

    nonisolated init(_ track: PlayerItemTrack, of item: PlayerItem, _ asset: AVAsset) {
        self.track = track
        self.item = WeakReference(item)
        self.asset = asset
        super.init()
    }

    /// The track as the item has it at present.
    private nonisolated var presentTrack: PlayerItemTrack {
        item.object?.tracks.first { $0.assetTrack.id == track.assetTrack.id } ?? track
    }

    /// The track of the asset.
    nonisolated open var assetTrack: AVAssetTrack? { AVAssetTrack(track.assetTrack, of: asset) }

    /// A Boolean value that indicates whether the track is played. Enabling a track disables the others of its type.
    nonisolated open var isEnabled: Bool {
        get { presentTrack.isEnabled }
        set { track.isEnabled = newValue }
    }

    /// The number of frames that were shown in the last second of playback; 0 while paused.
    nonisolated open var currentVideoFrameRate: Float { presentTrack.currentVideoFrameRate }

    /// Returns whether both are the same track and had the same enabled state when they were read from the item.
    ///
    /// - Parameter object: The other object.
    /// - Returns: True if they are equal.
    nonisolated open override func isEqual(_ object: Any?) -> Bool {
        (object as? AVPlayerItemTrack).map { $0.track == track && $0.asset === asset } ?? false
    }

    /// The hash of the track.
    nonisolated open override var hash: Int { track.hashValue }
}
