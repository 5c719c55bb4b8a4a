import MediaCore

/// Identifies one seek request.
package struct SeekID: Hashable, Sendable {
    package var rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}
