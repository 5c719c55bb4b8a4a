import Foundation
public import MediaCore
import PlaybackEngine

/// What a track is for.
public enum MediaCharacteristic: String, Hashable, Sendable, CaseIterable {
    case audible, visual, legible

    var mediaType: MediaType {
        switch self {
        case .audible: .audio
        case .visual: .video
        case .legible: .subtitle
        }
    }
}

/// Tracks of an asset of which one at a time is played.
public struct MediaSelectionGroup: Hashable, Sendable {
    public let characteristic: MediaCharacteristic
    /// In the container's order. Cover pictures are none.
    public let options: [MediaSelectionOption]
    /// None at all may be played, too.
    public let allowsEmptySelection: Bool

    /// What is played when nobody chooses: the first one that can be. nil for text, which is off by itself.
    public var defaultOption: MediaSelectionOption? {
        characteristic == .legible ? nil : options.first(where: \.isPlayable)
    }

    /// The options in a language, as the container writes it ("eng") or by its two letters ("en").
    public func options(withLanguage language: String) -> [MediaSelectionOption] {
        let wanted = Self.canonical(language)
        return options.filter { $0.language.map(Self.canonical) == wanted }
    }

    private static func canonical(_ language: String) -> String {
        Locale(identifier: language).language.languageCode?.identifier(.alpha3) ?? language.lowercased()
    }
}

/// One track that may be chosen.
public struct MediaSelectionOption: Hashable, Sendable {
    public let track: Track
    public var mediaType: MediaType { track.mediaType }
    public var language: String? { track.language }
    public var isPlayable: Bool { track.isPlayable }

    /// The track's title, else its language, else its number.
    public var displayName: String { track.title ?? track.language ?? "track \(track.id)" }
}

extension Asset {
    /// nil until loaded, and where the asset has no such track.
    public func mediaSelectionGroup(for characteristic: MediaCharacteristic) -> MediaSelectionGroup? {
        let tracks = tracks.filter { $0.mediaType == characteristic.mediaType && !$0.isAttachedPicture }
        guard !tracks.isEmpty else { return nil }
        return MediaSelectionGroup(
            characteristic: characteristic,
            options: tracks.map(MediaSelectionOption.init),
            allowsEmptySelection: true
        )
    }
}

extension PlayerItem {
    /// Plays `option`; nil: nothing of this kind. While playing nothing stops: the new track is decoded beside
    /// the old one and takes over a quarter of a second later, to the picture and the sample
    /// (`PlayerEvent.mediaSelectionChanged`). An option of another group changes nothing. Words of a
    /// text track are handed out by a `LegibleOutput`, from the moment on at which they have been read.
    public func select(_ option: MediaSelectionOption?, in group: MediaSelectionGroup) {
        if let option, !group.options.contains(option) { return }
        choose(option.map { .track($0.track.id) } ?? .none, group.characteristic.mediaType)
    }

    /// The container's own choice again.
    public func selectMediaOptionAutomatically(in group: MediaSelectionGroup) {
        choose(.automatic, group.characteristic.mediaType)
    }

    /// What is chosen in a group; what is played follows. nil: nothing.
    public func selectedMediaOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
        let choice = state.withLock { state in
            switch group.characteristic {
            case .audible: state.audio
            case .visual: state.video
            case .legible: state.legible
            }
        }
        switch choice {
        case .automatic: return group.defaultOption
        case .none: return nil
        case .track(let id): return group.options.first { $0.track.id == id }
        }
    }

    /// Plays one of the asset's tracks of a kind; `Track.id`. As `select(_:in:)`, for an asset that is not
    /// loaded yet.
    public func selectTrack(_ id: Int, ofType type: MediaType) { choose(.track(id), type) }

    /// Plays no track of this kind: none of it is read or decoded.
    public func disableTracks(ofType type: MediaType) { choose(.none, type) }

    private func choose(_ choice: TrackChoice, _ type: MediaType) {
        let hadLegible = state.withLock { $0.legible }
        defer { if hadLegible != state.withLock({ $0.legible }) { renewText(reopens: true) } }
        change { state in
            switch type {
            case .video: state.video = choice
            case .audio: state.audio = choice
            case .subtitle: state.legible = choice
            default: break
            }
        }
    }

    /// Changes a setting that an item which is open already must be opened anew for.
    func change(_ body: (inout State) -> Void) {
        let attachment = state.withLock { state -> Attachment? in
            let old = (state.video, state.audio, state.forwardEnd, state.reverseEnd)
            body(&state)
            let new = (state.video, state.audio, state.forwardEnd, state.reverseEnd)
            return old == new ? nil : state.attachment
        }
        if let attachment, let core = attachment.core { core.loop.renewItem(attachment.id) }
    }
}
