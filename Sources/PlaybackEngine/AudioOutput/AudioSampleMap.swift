import MediaCore

/// Maps the samples that a device was given to the timeline.
///
/// Samples are counted from the first one after a flush. What lies between two flushes is a *run*. A plain value.
struct AudioSampleMap: Sendable {
    private struct Entry {
        var frame: Int64
        var media: TimelineTime
        var step: Step
    }

    /// How much of the timeline a sample covers.
    private struct Step: Sendable {
        /// Millionths.
        var rate: Int64
        var sampleRate: Int64

        /// Nanoseconds of the timeline that `frames` samples cover. Whole seconds are exact, the rest is rounded.
        func duration(_ frames: Int64) -> Int64 {
            let seconds = frames / sampleRate
            let rest = frames % sampleRate
            let part = (Double(rest) * Double(rate) * 1000 / Double(sampleRate)).rounded()
            return seconds &* rate &* 1000 &+ Int64(part)
        }
    }

    /// Oldest first. Those that were played long ago are removed.
    private var entries: [Entry] = []
    private let maximumEntryCount = 512
    /// Flushes of the device so far.
    private(set) var flushCount = 0
    /// The timeline's epoch when the run began.
    private(set) var epoch = Epoch()
    private(set) var sampleRate: Int64 = 48_000
    private(set) var pass: Int?
    /// Samples written in this run.
    private(set) var frameCount: Int64 = 0
    /// Where the next sample belongs if nothing is missing; nil before the first.
    private(set) var mediaEnd: TimelineTime?

    /// The device was flushed: what is written next is its sample 0.
    mutating func begin() {
        flushCount += 1
        entries = []
        frameCount = 0
        mediaEnd = nil
        pass = nil
    }

    /// `count` samples belong to the timeline from `media` on.
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

    /// Sample `frame` is the next one that is written. Answers where it belongs.
    mutating func rewind(to frame: Int64) -> TimelineTime? {
        guard frame < frameCount, let media = media(of: frame) else { return mediaEnd }
        entries.removeAll { $0.frame >= frame }
        frameCount = max(0, frame)
        mediaEnd = entries.isEmpty ? nil : media
        pass = nil
        return media
    }

    /// Where sample `frame` belongs; nil before anything was written.
    func media(of frame: Int64) -> TimelineTime? {
        guard let first = entries.first else { return nil }
        var low = 0
        var high = entries.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].frame <= frame { low = middle } else { high = middle }
        }
        let entry = frame < first.frame ? first : entries[low]
        return entry.media + entry.step.duration(frame - entry.frame)
    }

    /// How many samples last so many nanoseconds.
    func frames(in nanoseconds: Int64) -> Int64 { nanoseconds / 1000 * sampleRate / 1_000_000 }
}
