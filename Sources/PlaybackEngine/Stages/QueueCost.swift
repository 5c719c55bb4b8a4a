import DequeModule
import MediaCore

/// The cost of an element against the limits of a queue.
package struct QueueCost: Hashable, Sendable {
    package var bytes: Int
    /// The duration in nanoseconds of media.
    package var duration: Int64

    package init(bytes: Int, duration: Int64) {
        self.bytes = bytes
        self.duration = duration
    }

    /// Creates the cost of a decoded audio buffer.
    init(_ buffer: AudioBuffer) {
        bytes = buffer.frameCount &* buffer.format.bytesPerFrame
        duration = buffer.duration.nanoseconds ?? 0
    }
}
