import MediaCore
import Playhead

/// The selection of tracks.
extension AVPlayerItem {
    /// The selection in all groups of the asset; empty until the asset is loaded. The property can be observed while a
    /// player has the item.
    nonisolated public var currentMediaSelection: AVMediaSelection {
        AVMediaSelection(item.currentMediaSelection, of: ownAsset)
    }

    /// Selects an option in a group, or none of the group. Playback follows without an interruption.
    ///
    /// - Parameters:
    ///   - mediaSelectionOption: The option, or nil for none. An option of another group is ignored.
    ///   - mediaSelectionGroup: The group.
    nonisolated public func select(
        _ mediaSelectionOption: AVMediaSelectionOption?,
        in mediaSelectionGroup: AVMediaSelectionGroup
    ) { item.select(mediaSelectionOption?.option, in: mediaSelectionGroup.group) }

    /// Returns to automatic selection: the player's criteria choose, or the container if there are none.
    ///
    /// - Parameter mediaSelectionGroup: The group.
    nonisolated public func selectMediaOptionAutomatically(in mediaSelectionGroup: AVMediaSelectionGroup) {
        item.selectMediaOptionAutomatically(in: mediaSelectionGroup.group)
    }

    /// Returns the option that is selected in a group.
    ///
    /// - Parameter mediaSelectionGroup: The group.
    /// - Returns: The option, or nil if nothing is selected.
    nonisolated public func selectedMediaOption(
        in mediaSelectionGroup: AVMediaSelectionGroup
    ) -> AVMediaSelectionOption? {
        item.selectedMediaOption(in: mediaSelectionGroup.group).map { AVMediaSelectionOption($0) }
    }
}

extension AVPlayer {
    /// Sets the criteria for an automatic selection, for all items of the player.
    ///
    /// - Parameters:
    ///   - criteria: The criteria, or nil to remove them.
    ///   - mediaCharacteristic: `.audible`, `.visual` or `.legible`.
    nonisolated public func setMediaSelectionCriteria(
        _ criteria: AVPlayerMediaSelectionCriteria?,
        forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
    ) {
        guard let characteristic = mediaCharacteristic.characteristic else { return }
        player.setMediaSelectionCriteria(criteria?.criteria, forMediaCharacteristic: characteristic)
    }

    /// Returns the criteria for a characteristic, or nil if there are none.
    ///
    /// - Parameter mediaCharacteristic: `.audible`, `.visual` or `.legible`.
    /// - Returns: The criteria.
    nonisolated public func mediaSelectionCriteria(
        forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
    ) -> AVPlayerMediaSelectionCriteria? {
        mediaCharacteristic.characteristic
            .flatMap { player.mediaSelectionCriteria(forMediaCharacteristic: $0) }
            .map { AVPlayerMediaSelectionCriteria($0) }
    }
}
