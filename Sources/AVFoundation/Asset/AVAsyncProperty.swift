public import CoreMedia
public import Foundation

/// A property that is loaded on request, with the types of its object and its value.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
public final class AVAsyncProperty<Root: AnyObject, Value: Sendable>: AVPartialAsyncProperty<Root>,
    @unchecked Sendable
{
    /// The loading status of a property.
    public enum Status: Sendable {
        /// Loading has not been requested.
        case notYetLoaded
        /// The property is being loaded.
        case loading
        /// The value is available.
        case loaded(Value)
        /// Loading failed or was cancelled.
        case failed(NSError)
    }

    let read: @Sendable (Root) -> Value

    init(_ key: String, _ read: @escaping @Sendable (Root) -> Value) {
        self.read = read
        super.init(key: key)
    }
}

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The property for `AVAsset.duration`.
    public static var duration: AVAsyncProperty<Root, CMTime> { AVAsyncProperty("duration") { $0.duration } }
    /// The property for `AVAsset.tracks`.
    public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> {
        AVAsyncProperty("tracks") { $0.tracks }
    }
    /// The property for `AVAsset.isPlayable`.
    public static var isPlayable: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("playable") { $0.isPlayable }
    }
    /// The property for `AVAsset.isReadable`.
    public static var isReadable: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("readable") { $0.isReadable }
    }
    /// The property for `AVAsset.hasProtectedContent`.
    public static var hasProtectedContent: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("hasProtectedContent") { $0.hasProtectedContent }
    }
    /// The property for `AVAsset.providesPreciseDurationAndTiming`.
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("providesPreciseDurationAndTiming") { $0.providesPreciseDurationAndTiming }
    }
    /// The property for `AVAsset.preferredRate`.
    public static var preferredRate: AVAsyncProperty<Root, Float> {
        AVAsyncProperty("preferredRate") { $0.preferredRate }
    }
    /// The property for `AVAsset.preferredVolume`.
    public static var preferredVolume: AVAsyncProperty<Root, Float> {
        AVAsyncProperty("preferredVolume") { $0.preferredVolume }
    }
    /// The property for `AVAsset.preferredTransform`.
    public static var preferredTransform: AVAsyncProperty<Root, CGAffineTransform> {
        AVAsyncProperty("preferredTransform") { $0.preferredTransform }
    }
}

extension AVPartialAsyncProperty where Root: AVAssetTrack {
    /// The property for `AVAssetTrack.naturalSize`.
    public static var naturalSize: AVAsyncProperty<Root, CGSize> {
        AVAsyncProperty("naturalSize") { $0.naturalSize }
    }
    /// The property for `AVAssetTrack.preferredTransform`.
    public static var preferredTransform: AVAsyncProperty<Root, CGAffineTransform> {
        AVAsyncProperty("preferredTransform") { $0.preferredTransform }
    }
    /// The property for `AVAssetTrack.formatDescriptions`.
    public static var formatDescriptions: AVAsyncProperty<Root, [CMFormatDescription]> {
        AVAsyncProperty("formatDescriptions") { $0.ownFormatDescriptions }
    }
    /// The property for `AVAssetTrack.nominalFrameRate`.
    public static var nominalFrameRate: AVAsyncProperty<Root, Float> {
        AVAsyncProperty("nominalFrameRate") { $0.nominalFrameRate }
    }
    /// The property for `AVAssetTrack.timeRange`.
    public static var timeRange: AVAsyncProperty<Root, CMTimeRange> {
        AVAsyncProperty("timeRange") { $0.timeRange }
    }
    /// The property for `AVAssetTrack.estimatedDataRate`.
    public static var estimatedDataRate: AVAsyncProperty<Root, Float> {
        AVAsyncProperty("estimatedDataRate") { $0.estimatedDataRate }
    }
    /// The property for `AVAssetTrack.isPlayable`.
    public static var isPlayable: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("playable") { $0.isPlayable }
    }
    /// The property for `AVAssetTrack.isEnabled`.
    public static var isEnabled: AVAsyncProperty<Root, Bool> { AVAsyncProperty("enabled") { $0.isEnabled } }
    /// The property for `AVAssetTrack.naturalTimeScale`.
    public static var naturalTimeScale: AVAsyncProperty<Root, CMTimeScale> {
        AVAsyncProperty("naturalTimeScale") { $0.naturalTimeScale }
    }
    /// The property for `AVAssetTrack.languageCode`.
    public static var languageCode: AVAsyncProperty<Root, String?> {
        AVAsyncProperty("languageCode") { $0.languageCode }
    }
    /// The property for `AVAssetTrack.extendedLanguageTag`.
    public static var extendedLanguageTag: AVAsyncProperty<Root, String?> {
        AVAsyncProperty("extendedLanguageTag") { $0.extendedLanguageTag }
    }
}
