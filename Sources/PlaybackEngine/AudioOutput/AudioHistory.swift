import MediaCore

/// Where a device takes up another rate.
struct RateChangePoint: Sendable {
    /// Index of the first device sample at the new rate, if the device can still take that sample back.
    var frame: Int64
    /// The flush that the index counts from. After another flush the point is void.
    var flushCount: Int
    /// Where on the timeline that sample belongs.
    var media: TimelineTime
}

/// The audio that a device was given and may not have played yet. At another rate it is processed again.
struct AudioHistory {
    struct Entry {
        /// As decoded, with mix and taps.
        var buffer: AudioBuffer
        var origin: AudioOrigin
        var placement: AudioPlacement

        var start: TimelineTime { placement.timelineTime(of: buffer) }
        var end: TimelineTime { start + (buffer.duration.nanoseconds ?? 0) }
    }

    private var entries: [Entry] = []

    /// `span`: nanoseconds of media that are kept.
    mutating func append(_ entry: Entry, keeping span: Int64) {
        entries.append(entry)
        let oldestTime = entry.end - span
        guard let first = entries.first, first.end < oldestTime else { return }
        entries.removeAll { $0.end < oldestTime }
    }

    mutating func clear() { entries = [] }

    /// What lies on the timeline from `media` on, and the last that lies before it.
    func split(at media: TimelineTime) -> (before: AudioBuffer?, entries: [Entry]) {
        var before: AudioBuffer?
        var remaining: [Entry] = []
        for entry in entries {
            let rate = Double(entry.buffer.format.sampleRate)
            let count = (Double(media - entry.start) * rate / 1e9).rounded()
            let cut = Int(max(0, min(Double(entry.buffer.frameCount), count)))
            if cut > 0 { before = entry.buffer.trimmed(last: entry.buffer.frameCount - cut) }
            guard cut < entry.buffer.frameCount else { continue }
            var entry = entry
            entry.buffer = entry.buffer.trimmed(first: cut)
            remaining.append(entry)
        }
        return (before, remaining)
    }
}
