import MediaCore

/// Identifies one attachment of an item to a player. An identifier is never reused, so a late report cannot be
/// attributed to the wrong item.
package struct ItemID: Hashable, Sendable, CustomStringConvertible {
    package var rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package var description: String { "item \(rawValue)" }
}
