import MediaCore

/// What is chosen of an asset's groups at one moment.
public struct MediaSelection: Hashable, Sendable {
    struct Choice: Hashable, Sendable {
        let option: MediaSelectionOption?
        let isAutomatic: Bool
    }
    let choices: [MediaSelectionGroup: Choice]

    /// What is chosen in a group of the asset; nil: nothing.
    public func selectedMediaOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
        choices[group]?.option
    }

    /// Whether nobody had chosen in the group, so that the player's criteria did.
    public func mediaSelectionCriteriaCanBeAppliedAutomatically(in group: MediaSelectionGroup) -> Bool {
        choices[group]?.isAutomatic ?? false
    }
}

extension PlayerItem {
    /// What is chosen now in all groups of the item's asset; empty until that is loaded. What is played follows, and
    /// then `mediaSelectionDidChange` and those who observe this property are told. Can be tracked.
    public var currentMediaSelection: MediaSelection { tracked(\.currentMediaSelection) { chosenNow } }

    /// The same, without tracking it.
    var chosenNow: MediaSelection {
        let groups = [.audible, .visual, .legible].compactMap(asset.mediaSelectionGroup)
        let choices = groups.map { group in
            let isAutomatic = mediaSelectionCriteriaCanBeAppliedAutomatically(in: group)
            let option = selectedMediaOption(in: group)
            return (group, MediaSelection.Choice(option: option, isAutomatic: isAutomatic))
        }
        return MediaSelection(choices: Dictionary(choices) { first, _ in first })
    }
}
