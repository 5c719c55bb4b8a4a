import MediaCore
import PlaybackEngine

/// A group of tracks of an asset of which one plays at a time.
public struct MediaSelectionGroup: Hashable, Sendable {
    /// The characteristic of the options: `audible`, `visual` or `legible`.
    public let characteristic: MediaCharacteristic
    /// The options in the order of the container, without cover pictures.
    public let options: [MediaSelectionOption]
    /// Whether the selection may be empty.
    public let allowsEmptySelection: Bool

    /// The option that plays without a selection: the first playable one that the container marks as the default, or
    /// else the first playable one. Nil for subtitles, which are off by default.
    public var defaultOption: MediaSelectionOption? {
        characteristic == .legible ? nil : options.defaultOption
    }

    /// Returns the options in a language.
    ///
    /// - Parameter language: The language as a two-letter or three-letter code ("de", "ger" or "deu").
    /// - Returns: The options in this language.
    public func options(withLanguage language: String) -> [MediaSelectionOption] {
        options.filter { $0.isInLanguage(language) }
    }

    /// Returns the options that have all of the given characteristics.
    ///
    /// - Parameter characteristics: The required characteristics.
    /// - Returns: The matching options.
    public func options(with characteristics: [MediaCharacteristic]) -> [MediaSelectionOption] {
        options.filter { option in characteristics.allSatisfy(option.hasMediaCharacteristic) }
    }
}
