public import Foundation
import MediaCore
import Playhead

/// A track that can be selected. Objects for the same track are equal.
///
/// `@unchecked Sendable`: its stored property is a constant of a `Sendable` type.
public final class AVMediaSelectionOption: NSObject, NSCopying, @unchecked Sendable {
    let option: MediaSelectionOption

    init(_ option: MediaSelectionOption) {
        self.option = option
        super.init()
    }

    /// Returns the option itself, which is immutable.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: The option.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The kind of media.
    public var mediaType: AVMediaType { AVMediaType(option.mediaType) }
    /// A Boolean value that indicates whether the track can be played.
    public var isPlayable: Bool { option.isPlayable }
    /// The language as the container declares it, or nil.
    public var extendedLanguageTag: String? { option.language }
    /// The language as a locale, or nil.
    public var locale: Locale? { option.language.map { Locale(identifier: $0) } }
    /// The title of the track, or else its language, or else its number.
    public var displayName: String { displayName(with: .current) }
    /// The title of the track.
    public var commonMetadata: [AVMetadataItem] {
        option.track.title.map { [AVMetadataItem("title", $0)] } ?? []
    }

    /// Returns the title of the track, or else the name of its language, or else its number.
    ///
    /// - Parameter locale: The locale in which the language is named.
    /// - Returns: The name.
    public func displayName(with locale: Locale) -> String {
        if let title = option.track.title { return title }
        return option.language.flatMap { locale.localizedString(forIdentifier: $0) } ?? option.displayName
    }

    /// Returns whether the track has a characteristic, by its kind of media or by its mark in the container.
    ///
    /// - Parameter mediaCharacteristic: The characteristic.
    /// - Returns: True if the track has it.
    public func hasMediaCharacteristic(_ mediaCharacteristic: AVMediaCharacteristic) -> Bool {
        mediaCharacteristic.applies(to: option)
    }

    /// Returns a value that identifies the option in its group, for `AVMediaSelectionGroup.mediaSelectionOption(withPropertyList:)`.
    ///
    /// - Returns: A number.
    public func propertyList() -> Any { option.track.id }

    /// Returns whether both are the same track.
    ///
    /// - Parameter object: The other object.
    /// - Returns: True if they are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? AVMediaSelectionOption)?.option == option
    }

    /// The hash of the track.
    public override var hash: Int { option.hashValue }
}
