import MediaCore
import PlayheadBackend
import Synchronization

/// Which tracks an item plays.
package enum TrackChoice: Hashable, Sendable {
    /// The first one that can be played; never a cover picture.
    case automatic
    case none
    /// The one that fits best.
    case preferred(TrackPreference)
    /// `Track.id`.
    case track(Int)

    func pick(_ type: MediaType, from tracks: [Track]) -> Track? {
        switch self {
        case .none: nil
        case .preferred(let preference):
            preference.best(
                of: tracks.filter { $0.mediaType == type && $0.isPlayable && !$0.isAttachedPicture }
            )
        case .track(let id): tracks.first { $0.id == id && $0.mediaType == type && $0.isPlayable }
        case .automatic: tracks.first { $0.mediaType == type && $0.isPlayable && !$0.isAttachedPicture }
        }
    }
}
