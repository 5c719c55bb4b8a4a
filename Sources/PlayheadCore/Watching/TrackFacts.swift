import MediaCore
import PlaybackEngine

/// A track of an item, and whether it is enabled.
struct TrackFacts: Hashable, Sendable {
    let assetTrack: Track
    var isEnabled: Bool
}
