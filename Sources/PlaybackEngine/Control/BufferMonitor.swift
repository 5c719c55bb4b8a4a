import MediaCore

/// Turns queue levels into the three flags, with hysteresis so that they do not flicker.
struct BufferMonitor {
    private(set) var level: BufferLevel

    init(level: BufferLevel = .empty) { self.level = level }

    /// The data ran out, or everything begins anew.
    mutating func runDry() { level = .empty }

    /// The new level, or nil when nothing changed.
    mutating func update(_ pipeline: ItemPipeline, epoch: Epoch) -> BufferLevel? {
        let hasEnded = pipeline.hasEndedReading(epoch)
        var next = level
        let isFull = pipeline.isFull(epoch)
        let isReady = pipeline.branches.allSatisfy { !$0.frames.isEmpty || isFull && $0.packets.isEmpty }
        if hasEnded || isReady { next.isEmpty = false }
        if hasEnded || isReady { next.isLikelyToKeepUp = true }
        if hasEnded || isFull { next.isFull = true }
        guard next != level else { return nil }
        level = next
        return next
    }
}
