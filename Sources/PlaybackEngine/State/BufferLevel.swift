import MediaCore

/// The buffer state of the enabled tracks of an item.
package struct BufferLevel: Hashable, Sendable {
    /// A Boolean value that indicates whether a track has no data left although its data has not ended.
    package var isEmpty: Bool
    package var isLikelyToKeepUp: Bool
    /// A Boolean value that indicates whether reading is suspended, because the buffer limits are reached or the data
    /// has ended.
    package var isFull: Bool

    package init(isEmpty: Bool, isLikelyToKeepUp: Bool, isFull: Bool) {
        self.isEmpty = isEmpty
        self.isLikelyToKeepUp = isLikelyToKeepUp
        self.isFull = isFull
    }

    package static let empty = BufferLevel(isEmpty: true, isLikelyToKeepUp: false, isFull: false)
}
