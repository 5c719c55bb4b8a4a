import MediaCore

/// The point at which a device changes to another rate.
struct RateChangePoint: Sendable {
    /// The index of the first device sample at the new rate, if the device can still discard that sample.
    var frame: Int64
    /// The number of flushes from which the index counts. After another flush the point is obsolete.
    var flushCount: Int
    /// The timeline position of that sample.
    var media: TimelineTime
}

/// The audio that has been written to a device and may not have been played yet. It is processed again when the
/// rate changes.
struct AudioHistory {
    struct Entry {
        /// The decoded audio after mix and taps.
        var buffer: AudioBuffer
        var origin: AudioOrigin
        var placement: AudioPlacement

        var start: TimelineTime { placement.timelineTime(of: buffer) }
        var end: TimelineTime { start + (buffer.duration.nanoseconds ?? 0) }
    }

    var entries: [Entry] = []

    /// Appends audio, and removes what is older than a span.
    ///
    /// - Parameters:
    ///   - entry: The audio to append.
    ///   - span: The duration to keep, in nanoseconds of media.
    mutating func append(_ entry: Entry, keeping span: Int64) {
        entries.append(entry)
        let oldestTime = entry.end - span
        guard let first = entries.first, first.end < oldestTime else { return }
        entries.removeAll { $0.end < oldestTime }
    }

    mutating func clear() { entries = [] }

    /// Removes the audio of an epoch.
    mutating func remove(_ epoch: Epoch) { entries.removeAll { $0.buffer.epoch == epoch } }

    /// Moves the audio of a pass to another origin.
    mutating func move(_ epoch: Epoch, pass: Int, to origin: PassOrigin) {
        for index in entries.indices
        where entries[index].buffer.epoch == epoch && entries[index].buffer.pass == pass {
            entries[index].placement.origin = origin
        }
    }

    /// Returns the entries from `media` on, and the audio immediately before it.
    func split(at media: TimelineTime) -> (before: AudioBuffer?, entries: [Entry]) {
        var before: AudioBuffer?
        var remaining: [Entry] = []
        for entry in entries {
            let rate = Double(entry.buffer.format.sampleRate)
            let count = (Double(media - entry.start) * rate / 1e9).rounded()
            let cut = Int(clamping: max(0, min(Double(entry.buffer.frameCount), count)))
            if cut > 0 { before = entry.buffer.trimmed(last: entry.buffer.frameCount - cut) }
            guard cut < entry.buffer.frameCount else { continue }
            var entry = entry
            entry.buffer = entry.buffer.trimmed(first: cut)
            remaining.append(entry)
        }
        return (before, remaining)
    }
}
