public import Foundation

/// Statistics of the playback of an item, with one entry for each player that has played it.
///
/// `@unchecked Sendable`: its stored property is a constant of a `Sendable` type.
public final class AVPlayerItemAccessLog: NSObject, NSCopying, @unchecked Sendable {
    /// The entries, oldest first.
    public let events: [AVPlayerItemAccessLogEvent]

    init(_ events: [AVPlayerItemAccessLogEvent]) {
        self.events = events
        super.init()
    }

    /// Returns the log itself, which is immutable.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: The log.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
