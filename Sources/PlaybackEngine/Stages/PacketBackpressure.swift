import MediaCore

/// Decides whether the packet queues of an item's tracks have capacity for more packets.
struct PacketBackpressure: Sendable {
    /// The packet queue of each track.
    let inputs: [(track: Int, queue: PacketQueue)]
    /// The `Track.id` of the video track, if there is one.
    let videoTrack: Int?

    /// Returns whether the queues have capacity. They are limited by bytes and by time, but a full track never
    /// prevents an empty one from being filled.
    func hasCapacity(_ limits: QueueLimits, isReverse: Bool) -> Bool {
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
