import MediaCore
import Playhead

/// The groups of tracks of which one plays at a time.
extension AVAsset {
    /// The characteristics for which the asset has a group. Blocks until the asset is loaded.
    public var availableMediaCharacteristicsWithMediaSelectionOptions: [AVMediaCharacteristic] {
        loaded(\.availableMediaCharacteristicsWithMediaSelectionOptions).map { AVMediaCharacteristic($0) }
    }

    /// Returns the group for a characteristic. Blocks until the asset is loaded.
    ///
    /// - Parameter mediaCharacteristic: `.audible`, `.visual` or `.legible`.
    /// - Returns: The group, or nil if the asset has no such tracks.
    public func mediaSelectionGroup(
        forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
    ) -> AVMediaSelectionGroup? {
        guard let characteristic = mediaCharacteristic.characteristic else { return nil }
        return loaded { $0.mediaSelectionGroup(for: characteristic) }.map { AVMediaSelectionGroup($0) }
    }

    /// Loads the asset, and returns the group for a characteristic.
    ///
    /// - Parameter mediaCharacteristic: `.audible`, `.visual` or `.legible`.
    /// - Returns: The group, or nil if the asset has no such tracks.
    /// - Throws: `AVError` if the asset cannot be loaded.
    public func loadMediaSelectionGroup(
        for mediaCharacteristic: AVMediaCharacteristic
    ) async throws -> AVMediaSelectionGroup? {
        try await loadAllProperties()
        return mediaSelectionGroup(forMediaCharacteristic: mediaCharacteristic)
    }
}

extension AVPartialAsyncProperty where Root: AVAsset {
    /// The property for `AVAsset.availableMediaCharacteristicsWithMediaSelectionOptions`.
    public static var availableMediaCharacteristicsWithMediaSelectionOptions:
        AVAsyncProperty<Root, [AVMediaCharacteristic]>
    {
        AVAsyncProperty("availableMediaCharacteristicsWithMediaSelectionOptions") {
            $0.availableMediaCharacteristicsWithMediaSelectionOptions
        }
    }
}
