/// Counts seeks, item changes and flushes. Whatever bears an older epoch than the current one is stale
/// and is dropped by comparison, never by timing.
public struct Epoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Counted up from 0.
    public var rawValue: UInt64

    /// The first epoch, unless a number is given.
    public init(_ rawValue: UInt64 = 0) { self.rawValue = rawValue }

    /// The epoch that makes this one stale.
    public var next: Epoch { Epoch(rawValue &+ 1) }

    public static func < (a: Epoch, b: Epoch) -> Bool { a.rawValue < b.rawValue }
    public var description: String { "epoch \(rawValue)" }
}
