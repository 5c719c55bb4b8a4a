import MediaCore
import PlayheadBackend

/// The choice of a track of one media type.
package enum TrackChoice: Hashable, Sendable {
    /// The playable track that the container marks as the default, or else the first one.
    case automatic
    case none
    /// The track that matches a preference best.
    case preferred(TrackPreference)
    /// The track with this `Track.id`.
    case track(Int)

    func pick(_ type: MediaType, from tracks: [Track]) -> Track? {
        switch self {
        case .none: nil
        case .preferred(let preference): preference.best(of: tracks.playable(type))
        case .track(let id): tracks.first { $0.id == id && $0.mediaType == type && $0.isPlayable }
        case .automatic: tracks.defaultTrack(type)
        }
    }
}
