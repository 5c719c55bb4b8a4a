public import Foundation
import MediaCore
import Playhead

/// A track of an item, which can be enabled and disabled. Objects for the same track are equal if they are both enabled
/// or both disabled.
@MainActor open class AVPlayerItemTrack: NSObject {
    private nonisolated let track: PlayerItemTrack
    private nonisolated let asset: AVAsset

    nonisolated init(_ track: PlayerItemTrack, of asset: AVAsset) {
        self.track = track
        self.asset = asset
        super.init()
    }

    /// The track of the asset.
    nonisolated open var assetTrack: AVAssetTrack? { AVAssetTrack(track.assetTrack, of: asset) }

    /// A Boolean value that indicates whether the track is played. Enabling a track disables the others of its type.
    nonisolated open var isEnabled: Bool {
        get { track.isEnabled }
        set { track.isEnabled = newValue }
    }

    /// The number of frames that were shown in the last second of playback; 0 while paused.
    nonisolated open var currentVideoFrameRate: Float { track.currentVideoFrameRate }

    /// Returns whether both are the same track and have the same enabled state.
    ///
    /// - Parameter object: The other object.
    /// - Returns: True if they are equal.
    nonisolated open override func isEqual(_ object: Any?) -> Bool {
        (object as? AVPlayerItemTrack).map { $0.track == track && $0.asset === asset } ?? false
    }

    /// The hash of the track.
    nonisolated open override var hash: Int { track.hashValue }
}
