import MediaCore

/// The loop's request to an item's demuxing stage.
struct ReadRequest: Sendable {
    var start: EpochStart
    var isLooping = false
    /// The end time of a pass (`forwardPlaybackEndTime`), or nil for the end of the data.
    var endTime: MediaTime?
    var limits: QueueLimits
    /// An upper bound for the byte limit, even if the limits are extended.
    var byteLimit = Int.max
    /// Whether reading continues beyond the limits, because decoding is too slow and the next key frame must be
    /// found.
    var usesExtendedLimits = false
    /// The amount of played data that is kept for seeks.
    var backBuffer: QueueLimits

    var currentLimits: QueueLimits {
        var current = usesExtendedLimits ? limits.extended : limits
        current.bytes = min(current.bytes, byteLimit)
        return current
    }
}

extension QueueLimits {
    /// Limits that reach the next key frame in most files.
    fileprivate var extended: QueueLimits {
        QueueLimits(
            count: count,
            bytes: max(bytes, 32 << 20),
            duration: max(duration, SkipPolicy.maximumFreezeDuration + 2_000_000_000)
        )
    }
}
