import DequeModule
import MediaCore

/// How much a queue may hold. Whatever is reached first makes it full.
package struct QueueLimits: Hashable, Sendable {
    package var count: Int
    package var bytes: Int
    /// Nanoseconds of media.
    package var duration: Int64

    package init(count: Int = .max, bytes: Int = .max, duration: Int64 = .max) {
        self.count = count
        self.bytes = bytes
        self.duration = duration
    }
}
