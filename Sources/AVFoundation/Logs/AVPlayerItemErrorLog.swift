public import Foundation

/// The errors of an item.
///
/// `@unchecked Sendable`: its stored property is a constant of a `Sendable` type.
public final class AVPlayerItemErrorLog: NSObject, NSCopying, @unchecked Sendable {
    /// The entries, oldest first: at most the newest 1,000.
    public let events: [AVPlayerItemErrorLogEvent]

    init(_ events: [AVPlayerItemErrorLogEvent]) {
        self.events = events
        super.init()
    }

    /// Returns the log itself, which is immutable.
    ///
    /// - Parameter zone: Has no effect.
    /// - Returns: The log.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
