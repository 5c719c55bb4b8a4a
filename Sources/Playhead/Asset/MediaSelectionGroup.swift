import MediaCore
import PlaybackEngine

/// Tracks of an asset of which one at a time is played.
public struct MediaSelectionGroup: Hashable, Sendable {
    /// What its options are for: `audible`, `visual` or `legible`.
    public let characteristic: MediaCharacteristic
    /// In the container's order. Cover pictures are none.
    public let options: [MediaSelectionOption]
    /// None at all may be played, too.
    public let allowsEmptySelection: Bool

    /// What is played when nobody chooses: the first one that can be. nil for text, which is off by itself.
    public var defaultOption: MediaSelectionOption? {
        characteristic == .legible ? nil : options.first(where: \.isPlayable)
    }

    /// The options in a language, as the container writes it ("eng", "ger" or "deu") or by its two letters.
    public func options(withLanguage language: String) -> [MediaSelectionOption] {
        let names = LanguageNames.all(language)
        return options.filter { option in option.language.map { names.contains($0.lowercased()) } ?? false }
    }

    /// The options that have all of these.
    public func options(with characteristics: [MediaCharacteristic]) -> [MediaSelectionOption] {
        options.filter { option in characteristics.allSatisfy(option.hasMediaCharacteristic) }
    }
}
