import MediaCore

/// What the loop asks of an item's reading.
struct ReadRequest: Sendable {
    var start: EpochStart
    var isLooping = false
    /// Where a pass ends early (`forwardPlaybackEndTime`); nil for the end of the data.
    var endTime: MediaTime?
    var limits: QueueLimits
    /// Decoding falls behind: reading goes on beyond the limits.
    var readsFurther = false
    /// How much of what has been played is kept for seeks.
    var back: QueueLimits

    var currentLimits: QueueLimits { readsFurther ? limits.extended : limits }
}

extension QueueLimits {
    /// Far enough to find the next key frame in most files.
    fileprivate var extended: QueueLimits {
        QueueLimits(
            count: count,
            bytes: max(bytes, 32 << 20),
            duration: max(duration, SkipPolicy.longestStop + 2_000_000_000)
        )
    }
}
