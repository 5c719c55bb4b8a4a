import MediaCore

/// Names one attachment of an item to a player. Never used twice, so a late answer cannot be mistaken.
package struct ItemID: Hashable, Sendable, CustomStringConvertible {
    package var rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package var description: String { "item \(rawValue)" }
}
