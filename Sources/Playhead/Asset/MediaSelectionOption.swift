public import MediaCore
import PlaybackEngine

/// One track that may be chosen.
public struct MediaSelectionOption: Hashable, Sendable {
    /// As the container describes it.
    public let track: Track
    /// What kind of media the track holds.
    public var mediaType: MediaType { track.mediaType }
    /// As the container writes it, usually ISO 639-2 ("eng"); nil where it does not say.
    public var language: String? { track.language }
    /// Whether the track can be played here; `Track.unplayableReason` says why not.
    public var isPlayable: Bool { track.isPlayable }

    /// Whether the track is of this kind, or is marked as that in its container.
    public func hasMediaCharacteristic(_ characteristic: MediaCharacteristic) -> Bool {
        if let type = characteristic.mediaType { return type == mediaType }
        return !characteristic.dispositions.isDisjoint(with: track.dispositions)
    }

    /// The track's title, else its language, else its number.
    public var displayName: String { track.title ?? track.language ?? "track \(track.id)" }
}
