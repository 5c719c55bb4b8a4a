package import MediaCore

/// Names one attachment of an item to a player. Never used twice, so a late answer cannot be mistaken.
package struct ItemID: Hashable, Sendable, CustomStringConvertible {
    package var rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package var description: String { "item \(rawValue)" }
}

/// Names one seek call.
package struct SeekID: Hashable, Sendable {
    package var rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

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

/// How a pass ended. A pass begins when an item becomes the current one, and again when playing goes on after
/// an outcome: a loop's next pass, a seek or a turn away from the end, playing on from the end.
package enum PassOutcome: Hashable, Sendable {
    case playedToEnd
    /// Another item took its place.
    case replaced
    /// It was taken off, and nothing took its place.
    case stopped
    case failed(MediaError)
}

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
