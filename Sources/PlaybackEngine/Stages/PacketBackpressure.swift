import MediaCore
import Synchronization

/// Whether there is room for more packets in the queues of an item's tracks.
final class PacketBackpressure: Sendable {
    private let inputs: [(track: Int, queue: PacketQueue)]
    private let videoTrack: Int?
    private let allowsBursts: Bool
    /// Reading goes on when the queues hold less than the limits; see `mayRead`.
    private let isPausedAfterBurst = Atomic<Bool>(false)

    /// `mayRest`: see `mayRead`.
    init(_ inputs: [(track: Int, queue: PacketQueue)], videoTrack: Int?, allowsBursts: Bool) {
        self.inputs = inputs
        self.videoTrack = videoTrack
        self.allowsBursts = allowsBursts
    }

    /// Another epoch begins.
    func begin() { isPausedAfterBurst.store(false, ordering: .sequentiallyConsistent) }

    /// On the loading lane. Packets that are kept from before (`hasKept`) go further ahead than the limits, and then
    /// reading rests until there is less than the limits again: several of them cost little more than one.
    func mayRead(_ limits: QueueLimits, isReverse: Bool, hasCachedPackets: Bool) -> Bool {
        if hasCapacity(limits, isReverse: isReverse) {
            if isPausedAfterBurst.load(ordering: .relaxed) {
                isPausedAfterBurst.store(false, ordering: .sequentiallyConsistent)
            }
            return true
        }
        guard allowsBursts, !isReverse, hasCachedPackets, !isPausedAfterBurst.load(ordering: .relaxed) else {
            return false
        }
        if hasCapacity(limits.burstLimits, isReverse: false) { return true }
        isPausedAfterBurst.store(true, ordering: .sequentiallyConsistent)
        // What was taken in between has woken nobody.
        return hasCapacity(limits, isReverse: false)
    }

    /// From any thread, when a packet was taken from a queue: whether reading must be woken.
    func shouldWake(_ limits: () -> QueueLimits) -> Bool {
        guard isPausedAfterBurst.load(ordering: .sequentiallyConsistent) else { return true }
        return hasCapacity(limits(), isReverse: false)
    }

    /// Bounded by bytes and time, but never so that one track starves while another is full.
    private func hasCapacity(_ limits: QueueLimits, isReverse: Bool) -> Bool {
        var bytes = 0
        var needsMore = false
        for (track, queue) in inputs where !isReverse || track == videoTrack {
            let level = queue.level
            bytes += level.bytes
            if level.count == 0 { return bytes < limits.bytes &* 4 }
            if level.duration < limits.duration && level.count < limits.count { needsMore = true }
        }
        return needsMore && bytes < limits.bytes
    }
}

extension QueueLimits {
    /// Twice as much, and a second more at most.
    fileprivate var burstLimits: QueueLimits {
        QueueLimits(
            count: count &+ min(count, .max - count),
            bytes: bytes &+ min(bytes, .max - bytes),
            duration: duration &+ min(duration, 1_000_000_000, .max - duration)
        )
    }
}
