package import MediaCore

/// A request to seek. The first frame that is shown is the one due in `target - toleranceBefore ... target`.
///
/// There is no tolerance after the target. Decoding starts at the key frame before the target, so the first frame
/// within the window never follows the target, whatever a tolerance after it would allow.
package struct SeekRequest: Hashable, Sendable {
    package var id: SeekID
    /// The item to seek in, or nil for the current item.
    package var item: ItemID?
    package var target: MediaTime
    package var toleranceBefore: MediaTime

    package init(
        id: SeekID,
        item: ItemID? = nil,
        target: MediaTime,
        toleranceBefore: MediaTime = .zero
    ) {
        self.id = id
        self.item = item
        self.target = target
        self.toleranceBefore = Self.usable(toleranceBefore)
    }

    /// Returns the tolerance, or zero if it is negative or not a duration.
    private static func usable(_ tolerance: MediaTime) -> MediaTime {
        tolerance.isNumeric || tolerance == .positiveInfinity ? max(.zero, tolerance) : .zero
    }
}
