import DequeModule
import MediaCore

/// How full a queue is.
package struct QueueLevel: Hashable, Sendable {
    package var count = 0
    package var bytes = 0
    /// Nanoseconds of media.
    package var duration: Int64 = 0

    func isBelow(_ limits: QueueLimits, times factor: Int) -> Bool {
        count / factor < limits.count && bytes / factor < limits.bytes
            && duration / Int64(factor) < limits.duration
    }
}
