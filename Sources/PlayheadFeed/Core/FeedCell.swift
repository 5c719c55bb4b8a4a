public import Foundation

/// One cell of a list: who it is, where it is, what it holds.
public struct FeedCell<ID: Hashable & Sendable>: Equatable, Sendable {
    /// Who it is: not its URL, which may be in the list twice.
    public var id: ID
    /// In points of the list's content.
    public var frame: CGRect
    /// What is in it.
    public var kind: FeedKind

    /// A clip unless `kind` says otherwise.
    public init(_ id: ID, frame: CGRect, kind: FeedKind = .clip) {
        self.id = id
        self.frame = frame
        self.kind = kind
    }
}
