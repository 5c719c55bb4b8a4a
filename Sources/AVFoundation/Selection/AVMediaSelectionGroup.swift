public import Foundation
import MediaCore
import Playhead

/// A group of tracks of an asset of which one plays at a time. Objects for the same group are equal.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
public final class AVMediaSelectionGroup: NSObject, NSCopying, @unchecked Sendable {
    let group: MediaSelectionGroup
    /// The options in the order of the container.
    public let options: [AVMediaSelectionOption]

    init(_ group: MediaSelectionGroup) {
        self.group = group
        options = group.options.map { AVMediaSelectionOption($0) }
        super.init()
    }

    /// Returns the group itself, which is immutable.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: The group.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The option that plays without a selection; nil for subtitles.
    public var defaultOption: AVMediaSelectionOption? {
        group.defaultOption.map { AVMediaSelectionOption($0) }
    }
    /// A Boolean value that indicates whether the selection may be empty.
    public var allowsEmptySelection: Bool { group.allowsEmptySelection }

    /// Returns the option that a value identifies.
    ///
    /// - Parameter plist: The result of `AVMediaSelectionOption.propertyList()`.
    /// - Returns: The option, or nil.
    public func mediaSelectionOption(withPropertyList plist: Any) -> AVMediaSelectionOption? {
        let id = (plist as? Int) ?? (plist as? NSNumber)?.intValue
        return options.first { $0.option.track.id == id }
    }

    /// Returns the options that can be played.
    ///
    /// - Parameter options: The options.
    /// - Returns: Some of them, in their order.
    public static func playableMediaSelectionOptions(
        from options: [AVMediaSelectionOption]
    ) -> [AVMediaSelectionOption] { options.filter(\.isPlayable) }

    /// Returns the options in a language.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - locale: The language.
    /// - Returns: Some of them, in their order.
    public static func mediaSelectionOptions(
        from options: [AVMediaSelectionOption],
        with locale: Locale
    ) -> [AVMediaSelectionOption] {
        let language = locale.language.languageCode?.identifier ?? locale.identifier
        return options.filter { $0.option.isInLanguage(language) }
    }

    /// Returns the options in the given languages, sorted by their order. Among the options in one language, those of a
    /// preferred region come first.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - preferredLanguages: The languages, most preferred first.
    /// - Returns: Some of the options.
    public static func mediaSelectionOptions(
        from options: [AVMediaSelectionOption],
        filteredAndSortedAccordingToPreferredLanguages preferredLanguages: [String]
    ) -> [AVMediaSelectionOption] {
        let sorted = options.map(\.option).sorted(byPreferredLanguages: preferredLanguages)
        return sorted.map { AVMediaSelectionOption($0) }
    }

    /// Returns the options that have all of the given characteristics.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - mediaCharacteristics: The characteristics.
    /// - Returns: Some of them, in their order.
    public static func mediaSelectionOptions(
        from options: [AVMediaSelectionOption],
        withMediaCharacteristics mediaCharacteristics: [AVMediaCharacteristic]
    ) -> [AVMediaSelectionOption] {
        options.filter { option in mediaCharacteristics.allSatisfy(option.hasMediaCharacteristic) }
    }

    /// Returns the options that have none of the given characteristics.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - mediaCharacteristics: The characteristics.
    /// - Returns: Some of them, in their order.
    public static func mediaSelectionOptions(
        from options: [AVMediaSelectionOption],
        withoutMediaCharacteristics mediaCharacteristics: [AVMediaCharacteristic]
    ) -> [AVMediaSelectionOption] {
        options.filter { option in !mediaCharacteristics.contains(where: option.hasMediaCharacteristic) }
    }

    /// Returns whether both are the same group.
    ///
    /// - Parameter object: The other object.
    /// - Returns: True if they are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? AVMediaSelectionGroup)?.group == group
    }

    /// The hash of the group.
    public override var hash: Int { group.hashValue }
}
