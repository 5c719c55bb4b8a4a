import MediaCore

/// The options that are selected in the groups of an asset.
public struct MediaSelection: Hashable, Sendable {
    struct Choice: Hashable, Sendable {
        let option: MediaSelectionOption?
        let isAutomatic: Bool
    }
    let choices: [MediaSelectionGroup: Choice]

    /// Returns the option that is selected in a group.
    ///
    /// - Parameter group: A group of the asset.
    /// - Returns: The option, or nil if nothing is selected.
    public func selectedMediaOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
        choices[group]?.option
    }

    /// Returns whether the selection in a group was automatic, so that the player's criteria applied.
    ///
    /// - Parameter group: A group of the asset.
    /// - Returns: False after an explicit selection.
    public func mediaSelectionCriteriaCanBeAppliedAutomatically(in group: MediaSelectionGroup) -> Bool {
        choices[group]?.isAutomatic ?? false
    }
}

extension PlayerItem {
    /// The current selection in all groups of the asset; empty until the asset is loaded. Playback follows the
    /// selection, and `mediaSelectionDidChange` is posted then. The property can be observed.
    public var currentMediaSelection: MediaSelection { tracked(\.currentMediaSelection) { selectionNow } }

    /// The current selection, without registering an observation.
    var selectionNow: MediaSelection {
        let groups = [.audible, .visual, .legible].compactMap(asset.mediaSelectionGroup)
        let choices = groups.map { group in
            let isAutomatic = mediaSelectionCriteriaCanBeAppliedAutomatically(in: group)
            let option = selectedMediaOption(in: group)
            return (group, MediaSelection.Choice(option: option, isAutomatic: isAutomatic))
        }
        return MediaSelection(choices: Dictionary(choices) { first, _ in first })
    }
}
