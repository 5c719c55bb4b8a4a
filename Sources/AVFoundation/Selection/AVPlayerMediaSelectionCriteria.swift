public import Foundation
import MediaCore
import Playhead

/// Preferred languages and characteristics for an automatic selection.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
public final class AVPlayerMediaSelectionCriteria: NSObject, @unchecked Sendable {
    /// The preferred languages, most preferred first, or nil.
    public let preferredLanguages: [String]?
    /// The preferred characteristics, or nil. Among options in the same language, the one with the most of them is selected.
    public let preferredMediaCharacteristics: [AVMediaCharacteristic]?

    /// Creates criteria.
    ///
    /// - Parameters:
    ///   - preferredLanguages: The preferred languages, most preferred first.
    ///   - preferredMediaCharacteristics: The preferred characteristics.
    public init(
        preferredLanguages: [String]?,
        preferredMediaCharacteristics: [AVMediaCharacteristic]?
    ) {
        self.preferredLanguages = preferredLanguages
        self.preferredMediaCharacteristics = preferredMediaCharacteristics
        super.init()
    }

    var criteria: PlayerMediaSelectionCriteria {
        PlayerMediaSelectionCriteria(
            preferredLanguages: preferredLanguages ?? [],
            preferredMediaCharacteristics: (preferredMediaCharacteristics ?? []).compactMap(\.characteristic)
        )
    }

    convenience init(_ criteria: PlayerMediaSelectionCriteria) {
        self.init(
            preferredLanguages: criteria.preferredLanguages,
            preferredMediaCharacteristics: criteria.preferredMediaCharacteristics.map {
                AVMediaCharacteristic($0)
            }
        )
    }
}
