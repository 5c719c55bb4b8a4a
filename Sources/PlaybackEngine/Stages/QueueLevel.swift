import DequeModule
import MediaCore

/// The contents of a queue, measured as its limits are.
package struct QueueLevel: Hashable, Sendable {
    package var count = 0
    package var bytes = 0
    /// The duration in nanoseconds of media.
    package var duration: Int64 = 0

    func isBelow(_ limits: QueueLimits, times factor: Int) -> Bool {
        count / factor < limits.count && bytes / factor < limits.bytes
            && duration / Int64(factor) < limits.duration
    }
}
