import MediaCore

/// What the loop asks of an item's reading.
struct ReadRequest: Sendable {
    var start: EpochStart
    var isLooping = false
    /// Where a pass ends early (`forwardPlaybackEndTime`); nil for the end of the data.
    var endTime: MediaTime?
    var limits: QueueLimits
    /// The limits have no more bytes than these, however far reading is to go.
    var byteLimit = Int.max
    /// Decoding falls behind: reading goes on beyond the limits.
    var usesExtendedLimits = false
    /// How much of what has been played is kept for seeks.
    var backBuffer: QueueLimits

    var currentLimits: QueueLimits {
        var current = usesExtendedLimits ? limits.extended : limits
        current.bytes = min(current.bytes, byteLimit)
        return current
    }
}

extension QueueLimits {
    /// Far enough to find the next key frame in most files.
    fileprivate var extended: QueueLimits {
        QueueLimits(
            count: count,
            bytes: max(bytes, 32 << 20),
            duration: max(duration, SkipPolicy.maximumFreezeDuration + 2_000_000_000)
        )
    }
}
