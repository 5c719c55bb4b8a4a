import DequeModule
import MediaCore

/// The limits of a queue. The queue is full as soon as it reaches one of them.
package struct QueueLimits: Hashable, Sendable {
    package var count: Int
    package var bytes: Int
    /// The duration in nanoseconds of media.
    package var duration: Int64

    package init(count: Int = .max, bytes: Int = .max, duration: Int64 = .max) {
        self.count = count
        self.bytes = bytes
        self.duration = duration
    }
}
