public import Foundation

/// A cell of a list: its identity, its frame and its kind of content.
public struct FeedCell<ID: Hashable & Sendable>: Equatable, Sendable {
    /// The identity of the cell. It is not derived from a URL, so the same clip can occur in several cells.
    public var id: ID
    /// The frame of the cell, in points of the list's content.
    public var frame: CGRect
    /// The kind of content in the cell.
    public var kind: FeedKind

    /// Creates a cell.
    ///
    /// - Parameters:
    ///   - id: The identity of the cell.
    ///   - frame: The frame of the cell, in points of the list's content.
    ///   - kind: The kind of content in the cell.
    public init(_ id: ID, frame: CGRect, kind: FeedKind = .clip) {
        self.id = id
        self.frame = frame
        self.kind = kind
    }
}
