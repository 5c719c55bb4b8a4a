import MediaCore

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
        guard isReady, let media = asset.media, !media.isSeekable, asset.liveWindow == nil else {
            return true
        }
        return facts.loadedTimeRanges.contains { range in
            let start = range.start > .zero ? range.start + Self.loadedRangeMargin : .zero
            return start <= max(.zero, time) && time < range.end - Self.loadedRangeMargin
        }
    }

    /// The time by which the packets that are kept may differ from the range that was reported last: 1 s.
    private static let loadedRangeMargin = MediaTime(value: 1, timescale: 1)

    private var isReady: Bool { status == .readyToPlay }

    /// Whether the item is seekable and has an enabled video track.
    var supportsReverse: Bool {
        asset.media?.isSeekable == true
            && tracks.contains { $0.isEnabled && $0.assetTrack.mediaType == .video }
    }
}
