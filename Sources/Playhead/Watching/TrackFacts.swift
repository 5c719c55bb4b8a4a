import MediaCore
import PlaybackEngine

/// A track of an item as it was at one moment.
struct TrackFacts: Hashable, Sendable {
    let assetTrack: Track
    var isEnabled: Bool
}
