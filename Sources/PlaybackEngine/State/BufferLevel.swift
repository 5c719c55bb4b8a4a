import MediaCore

/// How much of the enabled tracks is at hand.
package struct BufferLevel: Hashable, Sendable {
    /// A track has nothing left and its data has not ended.
    package var isEmpty: Bool
    package var isLikelyToKeepUp: Bool
    /// No more will be read for now: the bounds are reached or the data has ended.
    package var isFull: Bool

    package init(isEmpty: Bool, isLikelyToKeepUp: Bool, isFull: Bool) {
        self.isEmpty = isEmpty
        self.isLikelyToKeepUp = isLikelyToKeepUp
        self.isFull = isFull
    }

    package static let empty = BufferLevel(isEmpty: true, isLikelyToKeepUp: false, isFull: false)
}
