import MediaCore
import PlaybackEngine

// All of these properties are false until the item is ready. Those for backward playback also require an enabled video
// track.
extension PlayerItem {
    /// A Boolean value that indicates whether the item can play at rates above 2.
    public var canPlayFastForward: Bool { isReady }
    /// A Boolean value that indicates whether the item can play at rates between 0 and 1.
    public var canPlaySlowForward: Bool { isReady }
    /// A Boolean value that indicates whether the item can play at rate -1.
    public var canPlayReverse: Bool { isReady && supportsReverse }
    /// A Boolean value that indicates whether the item can play at rates below -1.
    public var canPlayFastReverse: Bool { isReady && supportsReverse }
    /// A Boolean value that indicates whether the item can play at rates between -1 and 0.
    public var canPlaySlowReverse: Bool { isReady && supportsReverse }
    /// A Boolean value that indicates whether `step(byCount:)` can step forward.
    public var canStepForward: Bool { isReady }
    /// A Boolean value that indicates whether `step(byCount:)` can step backward.
    public var canStepBackward: Bool { isReady && supportsReverse }

    /// Returns whether a seek can reach a time. In a source that cannot seek, only packets that are kept can be played
    /// again.
    func canSeek(to time: MediaTime) -> Bool {
        guard isReady, isUnseekable else { return true }
        // An item that is opened again has no packets yet.
        guard let attachment = state.withLock({ $0.attachment }),
            let snapshot = attachment.core?.loop.snapshot, snapshot.itemID == attachment.id,
            let range = snapshot.keptRange
        else { return false }
        return range.start <= max(.zero, time) && time <= range.end
    }

    /// Whether the media has been opened before, and is one that cannot be sought, such as radio.
    var isUnseekable: Bool { asset.media.map { !$0.isSeekable } ?? false && asset.liveWindow == nil }

    private var isReady: Bool { status == .readyToPlay }

    /// Whether the item is seekable and has an enabled video track.
    var supportsReverse: Bool {
        asset.media?.isSeekable == true
            && tracks.contains { $0.isEnabled && $0.assetTrack.mediaType == .video }
    }
}
