public import MediaCore

/// One thing that an asset knows once it is loaded, and its type: what `Asset.load(_:)` is asked for.
///
///     let (duration, tracks) = try await asset.load(.duration, .tracks)
public struct AssetProperty<Value: Sendable>: Sendable {
    let read: @Sendable (Asset) -> Value

    init(_ read: @escaping @Sendable (Asset) -> Value) { self.read = read }

    /// How far loading has come.
    public enum Status: Sendable {
        /// Nobody has asked for it.
        case notYetLoaded
        /// Somebody waits for it.
        case loading
        /// It is known.
        case loaded(Value)
        /// Cancelled, too: the error's code says so.
        case failed(PlaybackError)
    }
}

extension AssetProperty where Value == MediaTime {
    /// `Asset.duration`.
    public static var duration: AssetProperty<MediaTime> { AssetProperty { $0.duration } }
    /// `Asset.overallDurationHint`.
    public static var overallDurationHint: AssetProperty<MediaTime> {
        AssetProperty { $0.overallDurationHint }
    }
}

extension AssetProperty where Value == [Track] {
    /// `Asset.tracks`.
    public static var tracks: AssetProperty<[Track]> { AssetProperty { $0.tracks } }
}

extension AssetProperty where Value == [Chapter] {
    /// `Asset.chapters`.
    public static var chapters: AssetProperty<[Chapter]> { AssetProperty { $0.chapters } }
}

extension AssetProperty where Value == [MetadataItem] {
    /// `Asset.metadata`.
    public static var metadata: AssetProperty<[MetadataItem]> { AssetProperty { $0.metadata } }
}

extension AssetProperty where Value == [MediaCharacteristic] {
    /// `Asset.availableMediaCharacteristicsWithMediaSelectionOptions`.
    public static var availableMediaCharacteristicsWithMediaSelectionOptions:
        AssetProperty<[MediaCharacteristic]>
    { AssetProperty { $0.availableMediaCharacteristicsWithMediaSelectionOptions } }
}

extension AssetProperty where Value == Bool {
    /// `Asset.isPlayable`.
    public static var isPlayable: AssetProperty<Bool> { AssetProperty { $0.isPlayable } }
    /// `Asset.isReadable`.
    public static var isReadable: AssetProperty<Bool> { AssetProperty { $0.isReadable } }
    /// `Asset.hasProtectedContent`.
    public static var hasProtectedContent: AssetProperty<Bool> { AssetProperty { $0.hasProtectedContent } }
    /// `Asset.providesPreciseDurationAndTiming`.
    public static var providesPreciseDurationAndTiming: AssetProperty<Bool> {
        AssetProperty { $0.providesPreciseDurationAndTiming }
    }
    /// `Asset.canContainFragments`.
    public static var canContainFragments: AssetProperty<Bool> { AssetProperty { $0.canContainFragments } }
    /// `Asset.containsFragments`.
    public static var containsFragments: AssetProperty<Bool> { AssetProperty { $0.containsFragments } }
}
