import MediaCore
import Synchronization

/// Decides whether the packet queues of an item's tracks have capacity for more packets.
final class PacketBackpressure: Sendable {
    private let inputs: [(track: Int, queue: PacketQueue)]
    private let videoTrack: Int?
    private let allowsBursts: Bool
    /// True after a burst, until the queues hold less than the limits; see `mayRead`.
    private let isPausedAfterBurst = Atomic<Bool>(false)

    /// Creates the policy.
    ///
    /// - Parameters:
    ///   - inputs: The packet queue of each track.
    ///   - videoTrack: The `Track.id` of the video track, if there is one.
    ///   - allowsBursts: Whether cached packets may exceed the limits in a burst; see `mayRead`.
    init(_ inputs: [(track: Int, queue: PacketQueue)], videoTrack: Int?, allowsBursts: Bool) {
        self.inputs = inputs
        self.videoTrack = videoTrack
        self.allowsBursts = allowsBursts
    }

    /// Begins an epoch.
    func begin() { isPausedAfterBurst.store(false, ordering: .sequentiallyConsistent) }

    /// Returns whether another packet may be read. I/O lane.
    ///
    /// Cached packets (`hasCachedPackets`) may exceed the limits. After such a burst, reading pauses until the
    /// queues are below the limits again, because queueing several cached packets at once costs little more
    /// than queueing one.
    func mayRead(_ limits: QueueLimits, omitsAudio: Bool, hasCachedPackets: Bool) -> Bool {
        if hasCapacity(limits, omitsAudio: omitsAudio) {
            if isPausedAfterBurst.load(ordering: .relaxed) {
                isPausedAfterBurst.store(false, ordering: .sequentiallyConsistent)
            }
            return true
        }
        guard allowsBursts, hasCachedPackets, !isPausedAfterBurst.load(ordering: .relaxed) else {
            return false
        }
        if hasCapacity(limits.burstLimits, omitsAudio: omitsAudio) { return true }
        isPausedAfterBurst.store(true, ordering: .sequentiallyConsistent)
        // Packets that were removed in the meantime have not woken the reading stage.
        return hasCapacity(limits, omitsAudio: omitsAudio)
    }

    /// Returns whether reading must be woken after a packet was removed from a queue. Any thread.
    func shouldWake(_ limits: () -> QueueLimits) -> Bool {
        guard isPausedAfterBurst.load(ordering: .sequentiallyConsistent) else { return true }
        return hasCapacity(limits(), omitsAudio: false)
    }

    /// Returns whether the queues have capacity. They are limited by bytes and by time, but a full track never
    /// prevents an empty one from being filled.
    private func hasCapacity(_ limits: QueueLimits, omitsAudio: Bool) -> Bool {
        var bytes = 0
        var needsMore = false
        for (track, queue) in inputs where !omitsAudio || track == videoTrack {
            let level = queue.level
            bytes += level.bytes
            if level.count == 0 { return bytes < limits.bytes &* 4 }
            if level.duration < limits.duration && level.count < limits.count { needsMore = true }
        }
        return needsMore && bytes < limits.bytes
    }
}

extension QueueLimits {
    /// Twice the limits, but at most one second more.
    fileprivate var burstLimits: QueueLimits {
        QueueLimits(
            count: count &+ min(count, .max - count),
            bytes: bytes &+ min(bytes, .max - bytes),
            duration: duration &+ min(duration, 1_000_000_000, .max - duration)
        )
    }
}
