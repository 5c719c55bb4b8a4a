public import MediaCore

/// A property of an asset that is available once the asset is loaded, with the type of its value. Pass it to
/// `Asset.load(_:)`.
///
///     let (duration, tracks) = try await asset.load(.duration, .tracks)
public struct AssetProperty<Value: Sendable>: Sendable {
    let read: @Sendable (Asset) -> Value

    init(_ read: @escaping @Sendable (Asset) -> Value) { self.read = read }

    /// The loading status of a property.
    public enum Status: Sendable {
        /// Loading has not been requested.
        case notYetLoaded
        /// The asset is being loaded.
        case loading
        /// The value is available.
        case loaded(Value)
        /// Loading failed or was cancelled; the code of the error indicates which.
        case failed(PlaybackError)
    }
}

extension AssetProperty where Value == MediaTime {
    /// The property for `Asset.duration`.
    public static var duration: AssetProperty<MediaTime> { AssetProperty { $0.duration } }
    /// The property for `Asset.overallDurationHint`.
    public static var overallDurationHint: AssetProperty<MediaTime> {
        AssetProperty { $0.overallDurationHint }
    }
}

extension AssetProperty where Value == [Track] {
    /// The property for `Asset.tracks`.
    public static var tracks: AssetProperty<[Track]> { AssetProperty { $0.tracks } }
}

extension AssetProperty where Value == [Chapter] {
    /// The property for `Asset.chapters`.
    public static var chapters: AssetProperty<[Chapter]> { AssetProperty { $0.chapters } }
}

extension AssetProperty where Value == [MetadataItem] {
    /// The property for `Asset.metadata`.
    public static var metadata: AssetProperty<[MetadataItem]> { AssetProperty { $0.metadata } }
}

extension AssetProperty where Value == [MediaCharacteristic] {
    /// The property for `Asset.availableMediaCharacteristicsWithMediaSelectionOptions`.
    public static var availableMediaCharacteristicsWithMediaSelectionOptions:
        AssetProperty<[MediaCharacteristic]>
    { AssetProperty { $0.availableMediaCharacteristicsWithMediaSelectionOptions } }
}

extension AssetProperty where Value == Bool {
    /// The property for `Asset.isPlayable`.
    public static var isPlayable: AssetProperty<Bool> { AssetProperty { $0.isPlayable } }
    /// The property for `Asset.isReadable`.
    public static var isReadable: AssetProperty<Bool> { AssetProperty { $0.isReadable } }
    /// The property for `Asset.hasProtectedContent`.
    public static var hasProtectedContent: AssetProperty<Bool> { AssetProperty { $0.hasProtectedContent } }
    /// The property for `Asset.providesPreciseDurationAndTiming`.
    public static var providesPreciseDurationAndTiming: AssetProperty<Bool> {
        AssetProperty { $0.providesPreciseDurationAndTiming }
    }
    /// The property for `Asset.canContainFragments`.
    public static var canContainFragments: AssetProperty<Bool> { AssetProperty { $0.canContainFragments } }
    /// The property for `Asset.containsFragments`.
    public static var containsFragments: AssetProperty<Bool> { AssetProperty { $0.containsFragments } }
}
