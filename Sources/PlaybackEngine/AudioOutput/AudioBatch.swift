import MediaCore

/// Audio for a sink that keeps nothing, held until there is enough of it to wake a thread for.
struct AudioBatch: Sendable {
    /// What came due in one update.
    struct Write: Sendable {
        let buffers: [(buffer: AudioBuffer, placement: AudioPlacement)]
        let origin: AudioOrigin
    }

    private var writes: [Write] = []
    /// Nanoseconds of media.
    private var duration: Int64 = 0

    /// Half a second.
    private static let flushDuration: Int64 = 500_000_000

    /// True: it is enough.
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
