/// The name of one thing that an asset knows once it is loaded, whatever its type: for lists of them.
///
///     PlayerItem(asset: asset, automaticallyLoadedAssetKeys: [.tracks, .isPlayable])
public struct PartialAssetProperty: Hashable, Sendable, CustomStringConvertible {
    /// As AVFoundation writes it: "tracks", "playable" ...
    public let description: String

    private init(known: String) { description = known }

    private static let all: [PartialAssetProperty] = [
        .duration, .overallDurationHint, .tracks, .chapters, .metadata,
        .availableMediaCharacteristicsWithMediaSelectionOptions, .isPlayable, .isReadable,
        .hasProtectedContent,
        .providesPreciseDurationAndTiming, .canContainFragments, .containsFragments,
    ]

    /// By its name as a key of AVFoundation's or as the property is called ("playable", "isPlayable"); nil: there is none.
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

    /// `Asset.duration`.
    public static let duration = PartialAssetProperty(known: "duration")
    /// `Asset.overallDurationHint`.
    public static let overallDurationHint = PartialAssetProperty(known: "overallDurationHint")
    /// `Asset.tracks`.
    public static let tracks = PartialAssetProperty(known: "tracks")
    /// `Asset.chapters`.
    public static let chapters = PartialAssetProperty(known: "chapters")
    /// `Asset.metadata`.
    public static let metadata = PartialAssetProperty(known: "metadata")
    /// `Asset.availableMediaCharacteristicsWithMediaSelectionOptions`.
    public static let availableMediaCharacteristicsWithMediaSelectionOptions = PartialAssetProperty(
        known: "availableMediaCharacteristicsWithMediaSelectionOptions"
    )
    /// `Asset.isPlayable`.
    public static let isPlayable = PartialAssetProperty(known: "playable")
    /// `Asset.isReadable`.
    public static let isReadable = PartialAssetProperty(known: "readable")
    /// `Asset.hasProtectedContent`.
    public static let hasProtectedContent = PartialAssetProperty(known: "hasProtectedContent")
    /// `Asset.providesPreciseDurationAndTiming`.
    public static let providesPreciseDurationAndTiming = PartialAssetProperty(
        known: "providesPreciseDurationAndTiming"
    )
    /// `Asset.canContainFragments`.
    public static let canContainFragments = PartialAssetProperty(known: "canContainFragments")
    /// `Asset.containsFragments`.
    public static let containsFragments = PartialAssetProperty(known: "containsFragments")
}
