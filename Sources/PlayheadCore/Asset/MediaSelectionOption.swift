public import MediaCore
import PlaybackEngine

/// A track that can be selected.
public struct MediaSelectionOption: Hashable, Sendable {
    /// The track as the container describes it.
    public let track: Track
    /// The media type of the track.
    public var mediaType: MediaType { track.mediaType }
    /// The language as the container writes it, usually ISO 639-2 ("eng"); nil if it declares none.
    public var language: String? { track.language }
    /// Whether the track can be played. `Track.unplayableReason` says why not.
    public var isPlayable: Bool { track.isPlayable }

    /// Creates an option for a track.
    package init(track: Track) { self.track = track }

    /// Returns whether the track has a characteristic, by its media type or by its mark in the container.
    ///
    /// - Parameter characteristic: The characteristic to test for.
    /// - Returns: True if the track has the characteristic.
    public func hasMediaCharacteristic(_ characteristic: MediaCharacteristic) -> Bool {
        if let type = characteristic.mediaType { return type == mediaType }
        return !characteristic.dispositions.isDisjoint(with: track.dispositions)
    }

    /// The title of the track, or else its language, or else its number.
    public var displayName: String { track.title ?? track.language ?? "track \(track.id)" }

    /// Returns whether the track is in a language, by any of the codes of that language.
    ///
    /// - Parameter language: The language as a two-letter or three-letter code ("de", "ger" or "deu").
    /// - Returns: True if the container declares that language.
    package func isInLanguage(_ language: String) -> Bool {
        !LanguageNames.all(language).isDisjoint(with: track.languageNames)
    }
}

extension [MediaSelectionOption] {
    /// The option that plays without a selection.
    var defaultOption: MediaSelectionOption? {
        let playable = filter(\.isPlayable)
        return playable.first(where: \.track.isDefault) ?? playable.first
    }

    /// Returns the options in the given languages, sorted by the order of the languages. Among the options in one
    /// language, those of a preferred region come first.
    ///
    /// - Parameter languages: The languages as BCP 47 tags or ISO 639 codes, most preferred first.
    /// - Returns: Some of the options.
    package func sorted(byPreferredLanguages languages: [String]) -> [MediaSelectionOption] {
        let names = languages.map(LanguageNames.all)
        let ranked = enumerated().map { index, option in
            let (language, region) = option.track.languageIndices(in: names)
            return (option: option, rank: [language, region, index])
        }
        return
            ranked
            .filter { $0.rank[0] < names.count }
            .sorted { $0.rank.lexicographicallyPrecedes($1.rank) }
            .map(\.option)
    }
}
