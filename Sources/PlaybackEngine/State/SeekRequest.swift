package import MediaCore

/// What a seek asks for. The first frame shown lies in `target - toleranceBefore ... target`.
///
/// There is no tolerance behind the target. Decoding starts at the key frame before it, so the first frame that
/// the window allows never lies behind the target, whatever the window allows there.
package struct SeekRequest: Hashable, Sendable {
    package var id: SeekID
    /// The item that is meant; nil: whichever is current.
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

    /// What is no length of time, or a negative one, counts as none.
    private static func usable(_ tolerance: MediaTime) -> MediaTime {
        tolerance.isNumeric || tolerance == .positiveInfinity ? max(.zero, tolerance) : .zero
    }
}
