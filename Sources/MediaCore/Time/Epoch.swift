/// A serial number for seeks, item changes and flushes.
///
/// Frames, packets and calls that carry an older epoch than the current one are stale. They are dropped by comparing
/// epochs, never by timing.
public struct Epoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, counted from 0.
    public var rawValue: UInt64

    /// Creates an epoch with a number; the first epoch by default.
    public init(_ rawValue: UInt64 = 0) { self.rawValue = rawValue }

    /// The epoch that follows this one and makes it stale.
    public var next: Epoch { Epoch(rawValue &+ 1) }

    public static func < (a: Epoch, b: Epoch) -> Bool { a.rawValue < b.rawValue }
    public var description: String { "epoch \(rawValue)" }
}
