import MediaCore
import PlaybackEngine

/// The observable properties of an item.
struct ItemFacts: Sendable {
    var status = PlayerItem.Status.unknown
    var error: PlaybackError?
    var duration: MediaTime = .indefinite
    var presentationSize = PixelSize.zero
    var tracks: [TrackFacts] = []
    var isBufferEmpty = BufferLevel.empty.isEmpty
    var isBufferFull = BufferLevel.empty.isFull
    var isLikelyToKeepUp = BufferLevel.empty.isLikelyToKeepUp
    var loadedTimeRanges: [MediaTimeRange] = []

    /// The error of an item that has failed, which is final; otherwise nil.
    var failure: MediaError? {
        guard status == .failed, let error else { return nil }
        return error.underlying as? MediaError ?? MediaError(error.code, error.message)
    }

    /// Returns the duration if playback has found another one than the asset declares.
    func measuredDuration(of asset: Asset) -> MediaTime? {
        status == .readyToPlay && duration.isNumeric && duration != asset.duration ? duration : nil
    }

    /// Returns whether a report says what is known already, as for an item that is opened again.
    func alreadyContains(_ change: PlaybackChange, _ snapshot: PlaybackSnapshot) -> Bool {
        switch change {
        case .itemStatusChanged(_, .readyToPlay): status == .readyToPlay
        case .durationChanged(_, let duration): duration == self.duration
        case .presentationSizeChanged(_, let size): size == presentationSize
        case .tracksChanged: ItemFacts.tracks(snapshot) == tracks
        default: false
        }
    }

    private static func tracks(_ snapshot: PlaybackSnapshot) -> [TrackFacts] {
        (snapshot.description?.tracks ?? []).map {
            TrackFacts(assetTrack: $0, isEnabled: snapshot.enabledTracks.contains($0.id))
        }
    }

    /// Applies one report and nothing else, so that every property changes with its own event.
    mutating func apply(_ change: PlaybackChange, _ snapshot: PlaybackSnapshot, of asset: Asset) {
        switch change {
        case .presentationSizeChanged(_, let size): presentationSize = size
        case .tracksChanged, .selectionChanged: tracks = ItemFacts.tracks(snapshot)
        case .loadedRangeChanged(_, let range): loadedTimeRanges = range.map { [$0] } ?? []
        case .itemChanged:
            guard status != .failed else { break }
            // A player opens the item again. What is known about it stays valid, and nothing is buffered.
            let known = self
            self = ItemFacts()
            guard known.status == .readyToPlay else { break }
            status = known.status
            duration = known.duration
            presentationSize = known.presentationSize
            tracks = known.tracks
        case .itemStatusChanged(_, let status):
            guard self.status != .failed else { return }
            self.status = status
            error = snapshot.itemError.map { PlaybackError($0, url: asset.url) }
        case .itemFailed(_, let error):
            guard status != .failed else { return }
            status = .failed
            self.error = PlaybackError(error, url: asset.url)
        case .durationChanged(_, let duration): self.duration = duration
        case .bufferEmptyChanged(_, let flag): isBufferEmpty = flag
        case .bufferFullChanged(_, let flag): isBufferFull = flag
        case .likelyToKeepUpChanged(_, let flag): isLikelyToKeepUp = flag
        default: break
        }
    }
}
