public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// A track of an asset. Objects for the same track are equal.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
open class AVAssetTrack: NSObject, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    let track: Track
    private let owner: AVAsset

    init(_ track: Track, of asset: AVAsset) {
        self.track = track
        owner = asset
        super.init()
    }

    /// The asset of the track.
    open var asset: AVAsset? { owner }
    /// The identifier of the track. It is unique in its asset and not 0.
    open var trackID: CMPersistentTrackID { CMPersistentTrackID(clamping: track.id + 1) }
    /// The kind of media.
    open var mediaType: AVMediaType { AVMediaType(track.mediaType) }
    /// A `CMFormatDescription` of video or audio; empty for other media, and if the size or sample rate is not known.
    open var formatDescriptions: [Any] { ownFormatDescriptions }
    /// A Boolean value that indicates whether the track can be played.
    open var isPlayable: Bool { track.isPlayable }
    /// A Boolean value that indicates whether the track is played by default, as the container declares it.
    open var isEnabled: Bool { track.isDefault || track.mediaType == .video || track.mediaType == .audio }
    /// The language as the container declares it, or nil.
    open var languageCode: String? { track.language }
    /// The language as the container declares it, or nil.
    open var extendedLanguageTag: String? { track.language }
    /// The range of item time that the track covers.
    open var timeRange: CMTimeRange { CMTimeRange(track.timeRange) }
    /// The number of ticks per second of the track's times.
    open var naturalTimeScale: CMTimeScale {
        let base = track.timeBase
        guard base.isPositive else { return 0 }
        return CMTimeScale(clamping: Int64((Double(base.denominator) / Double(base.numerator)).rounded()))
    }
    /// The bit rate in bits per second as the container declares it; 0 if it is not known.
    open var estimatedDataRate: Float { Float(track.bitRate ?? 0) }
    /// The frames per second; 0 if the number is not known, and for other media.
    open var nominalFrameRate: Float { track.nominalFrameRate.map { Float($0.doubleValue) } ?? 0 }

    var ownFormatDescriptions: [CMFormatDescription] {
        CMFormatDescription(track).map { [$0] } ?? []
    }

    /// The size of the picture with square pixels, before `preferredTransform`; zero for other media.
    open var naturalSize: CGSize {
        guard track.mediaType == .video else { return .zero }
        let size = track.presentationSize
        let isTurned = track.preferredRotation.swapsAxes
        return CGSize(
            width: Double(isTurned ? size.height : size.width),
            height: Double(isTurned ? size.width : size.height)
        )
    }

    /// The transformation that makes the picture upright.
    open var preferredTransform: CGAffineTransform {
        guard track.mediaType == .video else { return .identity }
        let (width, height) = (naturalSize.width, naturalSize.height)
        return switch track.preferredRotation {
        case .none: .identity
        case .clockwise90: CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: height, ty: 0)
        case .half: CGAffineTransform(a: -1, b: 0, c: 0, d: -1, tx: width, ty: height)
        case .clockwise270: CGAffineTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: width)
        }
    }

    /// Returns whether the track has a characteristic, by its media type or by its mark in the container.
    ///
    /// - Parameter mediaCharacteristic: The characteristic.
    /// - Returns: True if the track has it.
    open func hasMediaCharacteristic(_ mediaCharacteristic: AVMediaCharacteristic) -> Bool {
        if mediaCharacteristic == .containsHDRVideo {
            return track.mediaType == .video && track.color.isHDR
        }
        return mediaCharacteristic.applies(to: MediaSelectionOption(track: track))
    }

    /// Returns `.loaded`: a track exists only in a loaded asset.
    ///
    /// - Parameters:
    ///   - key: The name of the property.
    ///   - outError: Not changed.
    /// - Returns: The status.
    open func statusOfValue(
        forKey key: String,
        error outError: UnsafeMutablePointer<NSError?>?
    ) -> AVKeyValueStatus { .loaded }

    /// Calls the handler.
    ///
    /// - Parameters:
    ///   - keys: The names of the properties.
    ///   - handler: Called before the method returns.
    @preconcurrency
    open func loadValuesAsynchronously(
        forKeys keys: [String],
        completionHandler handler: (@Sendable () -> Void)? = nil
    ) { handler?() }

    /// Returns whether both are the same track.
    ///
    /// - Parameter object: The other object.
    /// - Returns: True if they are equal.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? AVAssetTrack).map { $0.track == track && $0.owner === owner } ?? false
    }

    /// The hash of the track.
    open override var hash: Int { track.hashValue }
}
