import MediaCore

/// Collects audio for a sink that does not buffer, until there is enough of it to justify waking a thread.
struct AudioBatch: Sendable {
    /// The audio that came due in one update.
    struct Write: Sendable {
        let buffers: [(buffer: AudioBuffer, placement: AudioPlacement)]
        let origin: AudioOrigin
    }

    private var writes: [Write] = []
    /// The total duration in nanoseconds of media.
    private var duration: Int64 = 0

    /// The duration at which the batch is flushed: 0.5 s.
    private static let flushDuration: Int64 = 500_000_000

    /// Appends audio. Returns true if the batch must be flushed.
    mutating func add(_ write: Write) -> Bool {
        writes.append(write)
        for (buffer, _) in write.buffers { duration &+= max(0, buffer.duration.nanoseconds ?? 0) }
        return duration >= Self.flushDuration
    }

    mutating func removeAll() -> [Write] {
        defer { self = AudioBatch() }
        return writes
    }
}
