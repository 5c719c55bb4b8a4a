// What an item can do. All are false until the item is ready; after that they stay as they are.
extension PlayerItem {
    /// At rates above 2.
    public var canPlayFastForward: Bool { isReady }
    /// At rates between 0 and 1.
    public var canPlaySlowForward: Bool { isReady }
    /// At rate -1.
    public var canPlayReverse: Bool { isReady && supportsReverse }
    /// At rates below -1.
    public var canPlayFastReverse: Bool { isReady && supportsReverse }
    /// At rates between -1 and 0.
    public var canPlaySlowReverse: Bool { isReady && supportsReverse }
    /// By `step(byCount:)` with a count above zero.
    public var canStepForward: Bool { isReady }
    /// By `step(byCount:)` with a count below zero.
    public var canStepBackward: Bool { isReady && supportsReverse }

    private var isReady: Bool { status == .readyToPlay }

    /// For items that can be sought in and have frames.
    var supportsReverse: Bool {
        asset.description?.isSeekable == true
            && tracks.contains { $0.isEnabled && $0.assetTrack.mediaType == .video }
    }
}
