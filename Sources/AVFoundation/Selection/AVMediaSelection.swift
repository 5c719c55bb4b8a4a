public import Foundation
import MediaCore
import Playhead

/// The options that are selected in the groups of an asset.
///
/// `@unchecked Sendable`: its stored properties are constants of `Sendable` types.
public final class AVMediaSelection: NSObject, NSCopying, @unchecked Sendable {
    private let selection: MediaSelection
    private let owner: AVAsset

    init(_ selection: MediaSelection, of asset: AVAsset) {
        self.selection = selection
        owner = asset
        super.init()
    }

    /// The asset.
    public var asset: AVAsset? { owner }

    /// Returns the selection itself, which is immutable.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: The selection.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns the option that is selected in a group.
    ///
    /// - Parameter mediaSelectionGroup: The group.
    /// - Returns: The option, or nil if nothing is selected.
    public func selectedMediaOption(
        in mediaSelectionGroup: AVMediaSelectionGroup
    ) -> AVMediaSelectionOption? {
        selection.selectedMediaOption(in: mediaSelectionGroup.group).map { AVMediaSelectionOption($0) }
    }

    /// Returns whether the selection in a group was automatic.
    ///
    /// - Parameter mediaSelectionGroup: The group.
    /// - Returns: False after an explicit selection.
    public func mediaSelectionCriteriaCanBeAppliedAutomatically(
        in mediaSelectionGroup: AVMediaSelectionGroup
    ) -> Bool { selection.mediaSelectionCriteriaCanBeAppliedAutomatically(in: mediaSelectionGroup.group) }

    /// Returns whether both are the same selection of one asset.
    ///
    /// - Parameter object: The other object.
    /// - Returns: True if they are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? AVMediaSelection).map { $0.selection == selection && $0.owner === owner } ?? false
    }

    /// The hash of the selection.
    public override var hash: Int { selection.hashValue }
}
