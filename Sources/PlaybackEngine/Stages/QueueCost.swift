import DequeModule
import MediaCore

/// What an element weighs against the limits.
package struct QueueCost: Hashable, Sendable {
    package var bytes: Int
    /// Nanoseconds of media.
    package var duration: Int64

    package init(bytes: Int, duration: Int64) {
        self.bytes = bytes
        self.duration = duration
    }
}
