/// The name of an asset property without the type of its value, for lists of properties.
///
///     PlayerItem(asset: asset, automaticallyLoadedAssetKeys: [.tracks, .isPlayable])
public struct PartialAssetProperty: Hashable, Sendable, CustomStringConvertible {
    /// The name as AVFoundation writes it: "tracks", "playable".
    public let description: String

    private init(known: String) { description = known }

    private static let all: [PartialAssetProperty] = [
        .duration, .overallDurationHint, .tracks, .chapters, .metadata,
        .availableMediaCharacteristicsWithMediaSelectionOptions, .isPlayable, .isReadable,
        .hasProtectedContent,
        .providesPreciseDurationAndTiming, .canContainFragments, .containsFragments,
    ]

    /// Creates a property from the name of AVFoundation's key or of the Swift property ("playable", "isPlayable").
    ///
    /// - Parameter name: The name. The result is nil if there is no such property.
    public init?(_ name: String) {
        guard let known = Self.all.first(where: { [$0.description, $0.property].contains(name) }) else {
            return nil
        }
        self = known
    }

    private var property: String {
        switch self {
        case .isPlayable: "isPlayable"
        case .isReadable: "isReadable"
        default: description
        }
    }

    /// The name of `Asset.duration`.
    public static let duration = PartialAssetProperty(known: "duration")
    /// The name of `Asset.overallDurationHint`.
    public static let overallDurationHint = PartialAssetProperty(known: "overallDurationHint")
    /// The name of `Asset.tracks`.
    public static let tracks = PartialAssetProperty(known: "tracks")
    /// The name of `Asset.chapters`.
    public static let chapters = PartialAssetProperty(known: "chapters")
    /// The name of `Asset.metadata`.
    public static let metadata = PartialAssetProperty(known: "metadata")
    /// The name of `Asset.availableMediaCharacteristicsWithMediaSelectionOptions`.
    public static let availableMediaCharacteristicsWithMediaSelectionOptions = PartialAssetProperty(
        known: "availableMediaCharacteristicsWithMediaSelectionOptions"
    )
    /// The name of `Asset.isPlayable`.
    public static let isPlayable = PartialAssetProperty(known: "playable")
    /// The name of `Asset.isReadable`.
    public static let isReadable = PartialAssetProperty(known: "readable")
    /// The name of `Asset.hasProtectedContent`.
    public static let hasProtectedContent = PartialAssetProperty(known: "hasProtectedContent")
    /// The name of `Asset.providesPreciseDurationAndTiming`.
    public static let providesPreciseDurationAndTiming = PartialAssetProperty(
        known: "providesPreciseDurationAndTiming"
    )
    /// The name of `Asset.canContainFragments`.
    public static let canContainFragments = PartialAssetProperty(known: "canContainFragments")
    /// The name of `Asset.containsFragments`.
    public static let containsFragments = PartialAssetProperty(known: "containsFragments")
}
