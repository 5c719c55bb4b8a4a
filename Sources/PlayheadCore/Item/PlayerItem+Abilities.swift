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

    private var isReady: Bool { status == .readyToPlay }

    /// Whether the item is seekable and has an enabled video track.
    var supportsReverse: Bool {
        asset.media?.isSeekable == true
            && tracks.contains { $0.isEnabled && $0.assetTrack.mediaType == .video }
    }
}
