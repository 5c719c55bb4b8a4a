import MediaCore

/// Maps the samples that were written to a device to the timeline.
///
/// Samples are counted from the first one after a flush. It is a plain value.
struct AudioSampleMap: Sendable {
    private struct Entry {
        var frame: Int64
        var media: TimelineTime
        var step: Step
    }

    /// The part of the timeline that a sample covers.
    private struct Step: Sendable {
        /// The playback rate in millionths.
        var rate: Int64
        var sampleRate: Int64

        /// Returns the nanoseconds of the timeline that `frames` samples cover. Whole seconds are exact, and
        /// the rest is rounded.
        func duration(_ frames: Int64) -> Int64 {
            let seconds = frames / sampleRate
            let remainder = frames % sampleRate
            let part = (Double(remainder) * Double(rate) * 1000 / Double(sampleRate)).rounded()
            return seconds &* rate &* 1000 &+ Int64(part)
        }
    }

    /// The entries, oldest first. Those that were played long ago are removed.
    private var entries: [Entry] = []
    private let maximumEntryCount = 512
    /// The number of flushes of the device.
    private(set) var flushCount = 0
    /// The epoch of the timeline at the first write after the last flush.
    private(set) var epoch = Epoch()
    private(set) var sampleRate: Int64 = 48_000
    private(set) var pass: Int?
    /// The number of samples written since the last flush.
    private(set) var frameCount: Int64 = 0
    /// The timeline position of the next sample if there is no gap, or nil before the first one.
    private(set) var mediaEnd: TimelineTime?

    /// Records a flush of the device. The next sample has the index 0.
    mutating func begin() {
        flushCount += 1
        entries = []
        frameCount = 0
        mediaEnd = nil
        pass = nil
    }

    /// Records that `count` samples were written, which begin at `media` on the timeline.
    mutating func append(
        _ count: Int,
        media: TimelineTime,
        rate: PlaybackRate,
        sampleRate: Int,
        epoch: Epoch,
        pass: Int
    ) {
        guard count > 0, sampleRate > 0 else { return }
        if entries.isEmpty { self.epoch = epoch }
        self.sampleRate = Int64(sampleRate)
        self.pass = pass
        let step = Step(rate: rate.millionths, sampleRate: Int64(sampleRate))
        entries.append(Entry(frame: frameCount, media: media, step: step))
        if entries.count > 2 * maximumEntryCount { entries.removeFirst(maximumEntryCount) }
        frameCount += Int64(count)
        mediaEnd = media + step.duration(Int64(count))
    }

    /// Records that the samples from `frame` on were discarded. Returns the timeline position of that sample.
    mutating func rewind(to frame: Int64) -> TimelineTime? {
        guard frame < frameCount, let media = media(of: frame) else { return mediaEnd }
        entries.removeAll { $0.frame >= frame }
        frameCount = max(0, frame)
        mediaEnd = entries.isEmpty ? nil : media
        pass = nil
        return media
    }

    /// Returns the timeline position of a sample, or nil before anything was written.
    func media(of frame: Int64) -> TimelineTime? {
        guard let first = entries.first else { return nil }
        var low = 0
        var high = entries.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].frame <= frame { low = middle } else { high = middle }
        }
        let entry = frame < first.frame ? first : entries[low]
        return entry.media + entry.step.duration(frame.subtractingClamped(entry.frame))
    }

    /// Returns the number of samples that last for a number of nanoseconds.
    func frames(in nanoseconds: Int64) -> Int64 {
        let limited = max(-Self.maximumSpan, min(Self.maximumSpan, nanoseconds))
        return limited / 1000 * min(sampleRate, Int64(Int32.max)) / 1_000_000
    }

    /// One hour in nanoseconds. A device may report any time.
    private static let maximumSpan: Int64 = 3_600_000_000_000
}
