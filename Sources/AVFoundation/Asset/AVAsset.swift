public import CoreMedia
public import Foundation
import MediaCore
package import Playhead

/// The media at a URL.
///
/// The getters of `duration`, `tracks` and the other properties of the media block their thread until the asset is
/// loaded, as Apple's do. `load(_:)` and `loadValuesAsynchronously(forKeys:completionHandler:)` load without blocking; a
/// getter returns at once afterwards. Use `AVURLAsset` to create an asset.
///
/// `@unchecked Sendable`: its stored property is a constant of a `Sendable` type. Subclasses must be safe too.
open class AVAsset: NSObject, NSCopying, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    /// The asset that is played.
    package let asset: Asset

    init(asset: Asset) {
        self.asset = asset
        super.init()
    }

    /// Returns the asset itself, which is immutable.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: The asset.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Blocks until the asset is loaded, or cannot be loaded.
    private func waitUntilLoaded() {
        switch asset.status {
        case .loaded, .failed, .cancelled: return
        case .unknown, .loading: break
        }
        let isLoaded = DispatchSemaphore(value: 0)
        asset.load { _ in isLoaded.signal() }
        isLoaded.wait()
    }

    func loaded<Value>(_ read: (Asset) -> Value) -> Value {
        waitUntilLoaded()
        return read(asset)
    }

    /// The duration: zero if the asset cannot be loaded, indefinite for live media. Blocks until the asset is loaded.
    open var duration: CMTime {
        loaded { $0.status == .loaded ? CMTime($0.duration) : .zero }
    }
    /// The tracks in the order of the container, without attached pictures, which are metadata. Blocks until the asset is
    /// loaded.
    open var tracks: [AVAssetTrack] {
        loaded(\.tracks).filter { !$0.isAttachedPicture }.map { AVAssetTrack($0, of: self) }
    }
    /// A Boolean value that indicates whether the asset can be played. Blocks until the asset is loaded.
    open var isPlayable: Bool { loaded(\.isPlayable) }
    /// A Boolean value that indicates whether the container can be read. Blocks until the asset is loaded.
    open var isReadable: Bool { loaded(\.isReadable) }
    /// A Boolean value that indicates whether a track is encrypted. Blocks until the asset is loaded.
    open var hasProtectedContent: Bool { loaded(\.hasProtectedContent) }
    /// A Boolean value that indicates whether `duration` is exact. Blocks until the asset is loaded.
    open var providesPreciseDurationAndTiming: Bool { loaded(\.providesPreciseDurationAndTiming) }
    /// The natural rate, which is 1.
    open var preferredRate: Float { 1 }
    /// The natural volume, which is 1.
    open var preferredVolume: Float { 1 }
    /// The transformation of the first video track. Blocks until the asset is loaded.
    open var preferredTransform: CGAffineTransform {
        tracks(withMediaType: .video).first?.preferredTransform ?? .identity
    }

    /// Returns the track with an identifier, or nil. Blocks until the asset is loaded.
    ///
    /// - Parameter trackID: The identifier.
    /// - Returns: The track.
    open func track(withTrackID trackID: CMPersistentTrackID) -> AVAssetTrack? {
        tracks.first { $0.trackID == trackID }
    }

    /// Returns the tracks of one media type. Blocks until the asset is loaded.
    ///
    /// - Parameter mediaType: The media type.
    /// - Returns: The tracks.
    open func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] {
        tracks.filter { $0.mediaType == mediaType }
    }

    /// Returns the tracks with a characteristic. Blocks until the asset is loaded.
    ///
    /// - Parameter mediaCharacteristic: The characteristic.
    /// - Returns: The tracks.
    open func tracks(withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) -> [AVAssetTrack] {
        tracks.filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
    }

    // MARK: Loading

    /// Returns the loading status of a property. All properties are loaded together.
    ///
    /// - Parameters:
    ///   - key: The name of the property.
    ///   - outError: Receives the error if the status is `.failed` or `.cancelled`.
    /// - Returns: The status.
    open func statusOfValue(
        forKey key: String,
        error outError: UnsafeMutablePointer<NSError?>? = nil
    ) -> AVKeyValueStatus {
        // The error is read after the status, which may fail in between.
        let status = asset.status
        outError?.pointee = asset.error.map { AVError($0) as NSError }
        return switch status {
        case .unknown: .unknown
        case .loading: .loading
        case .loaded: .loaded
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    /// Loads the asset and calls a handler.
    ///
    /// - Parameters:
    ///   - keys: The names of the properties, which are loaded together.
    ///   - handler: Called once when the asset has been loaded, failed or was cancelled; before the method returns if that
    ///     is known, otherwise on an arbitrary thread.
    @preconcurrency
    open func loadValuesAsynchronously(
        forKeys keys: [String],
        completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        asset.load { _ in handler?() }
    }

    /// Loads the asset, or throws an `AVError`.
    final func loadAllProperties() async throws {
        do throws(PlaybackError) { try await asset.load() } catch { throw AVError(error) }
    }

    /// Loads the asset, and returns its tracks of one media type.
    ///
    /// - Parameter mediaType: The media type.
    /// - Returns: The tracks.
    /// - Throws: `AVError` if the asset cannot be loaded.
    open func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
        try await loadAllProperties()
        return tracks(withMediaType: mediaType)
    }

    /// Loads the asset, and returns its tracks with a characteristic.
    ///
    /// - Parameter mediaCharacteristic: The characteristic.
    /// - Returns: The tracks.
    /// - Throws: `AVError` if the asset cannot be loaded.
    open func loadTracks(
        withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
    ) async throws -> [AVAssetTrack] {
        try await loadAllProperties()
        return tracks(withMediaCharacteristic: mediaCharacteristic)
    }

    /// Loads the asset, and returns the track with an identifier.
    ///
    /// - Parameter trackID: The identifier.
    /// - Returns: The track, or nil.
    /// - Throws: `AVError` if the asset cannot be loaded.
    open func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVAssetTrack? {
        try await loadAllProperties()
        return track(withTrackID: trackID)
    }

    /// Cancels loading, for all callers and for good.
    open func cancelLoading() { asset.cancelLoading() }
}

/// Creation of an asset by its base class. A protocol's initializer can return an object of a subclass, which an
/// initializer of a class cannot.
public protocol _AVAssetCreation {}

extension AVAsset: _AVAssetCreation {}

extension _AVAssetCreation where Self == AVAsset {
    /// Creates an `AVURLAsset` for a URL. Does no I/O.
    ///
    /// - Parameter url: The URL of the media.
    public init(url: URL) { self = AVURLAsset(url: url, options: nil) }
}
