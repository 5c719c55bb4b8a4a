public import CoreMedia
import Playhead

/// Loading with handlers. They are called once: before the method returns if the asset has been loaded already,
/// otherwise on an arbitrary thread.
extension AVAsset {
    /// Loads the asset, and passes the track with an identifier to a handler.
    ///
    /// - Parameters:
    ///   - trackID: The identifier.
    ///   - completionHandler: Called with the track, or nil, or with an `AVError` if the asset cannot be loaded.
    @preconcurrency
    public func loadTrack(
        withTrackID trackID: CMPersistentTrackID,
        completionHandler: @escaping @Sendable (AVAssetTrack?, (any Error)?) -> Void
    ) { load(for: completionHandler) { $0.track(withTrackID: trackID) } }

    /// Loads the asset, and passes its tracks of one media type to a handler.
    ///
    /// - Parameters:
    ///   - mediaType: The media type.
    ///   - completionHandler: Called with the tracks, or with an `AVError` if the asset cannot be loaded.
    @preconcurrency
    public func loadTracks(
        withMediaType mediaType: AVMediaType,
        completionHandler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void
    ) { load(for: completionHandler) { $0.tracks(withMediaType: mediaType) } }

    /// Loads the asset, and passes its tracks with a characteristic to a handler.
    ///
    /// - Parameters:
    ///   - mediaCharacteristic: The characteristic.
    ///   - completionHandler: Called with the tracks, or with an `AVError` if the asset cannot be loaded.
    @preconcurrency
    public func loadTracks(
        withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic,
        completionHandler: @escaping @Sendable ([AVAssetTrack]?, (any Error)?) -> Void
    ) { load(for: completionHandler) { $0.tracks(withMediaCharacteristic: mediaCharacteristic) } }

    /// Loads the asset, and passes the group for a characteristic to a handler.
    ///
    /// - Parameters:
    ///   - mediaCharacteristic: `.audible`, `.visual` or `.legible`.
    ///   - completionHandler: Called with the group, or nil if the asset has no such tracks, or with an `AVError` if the
    ///     asset cannot be loaded.
    @preconcurrency
    public func loadMediaSelectionGroup(
        for mediaCharacteristic: AVMediaCharacteristic,
        completionHandler: @escaping @Sendable (AVMediaSelectionGroup?, (any Error)?) -> Void
    ) { load(for: completionHandler) { $0.mediaSelectionGroup(forMediaCharacteristic: mediaCharacteristic) } }

    private func load<Value>(
        for completionHandler: @escaping @Sendable (Value?, (any Error)?) -> Void,
        reading read: @escaping @Sendable (AVAsset) -> Value?
    ) {
        asset.load { [self] result in
            switch result {
            case .success: completionHandler(read(self), nil)
            case .failure(let error): completionHandler(nil, AVError(error))
            }
        }
    }
}
