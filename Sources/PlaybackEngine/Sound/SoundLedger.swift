import MediaCore

/// Which sample of what a device was given belongs to which moment of the timeline.
///
/// Samples are counted from the first one after a flush: a *run*. A plain value.
struct SoundLedger: Sendable {
    private struct Entry {
        var frame: Int64
        var media: Int64
        var step: Step
    }

    /// Media time that samples stand for.
    private struct Step: Sendable {
        /// Millionths.
        var rate: Int64
        var sampleRate: Int64

        /// In nanoseconds, rounded.
        func media(_ frames: Int64) -> Int64 {
            let seconds = frames / sampleRate
            let rest = frames % sampleRate
            let part = (Double(rest) * Double(rate) * 1000 / Double(sampleRate)).rounded()
            return seconds &* rate &* 1000 &+ Int64(part)
        }
    }

    /// Oldest first; those that are long played are let go of.
    private var entries: [Entry] = []
    private let memory = 512
    /// Flushes of the device so far.
    private(set) var run = 0
    /// The timeline's, when the run began.
    private(set) var epoch = Epoch()
    private(set) var sampleRate: Int64 = 48_000
    private(set) var pass: Int?
    /// Samples written in this run.
    private(set) var frameCount: Int64 = 0
    /// Where on the timeline the next sample belongs if nothing is missing; nil before the first.
    private(set) var mediaEnd: Int64?

    /// The device was flushed: what is written next is its sample 0.
    mutating func begin() {
        run += 1
        entries = []
        frameCount = 0
        mediaEnd = nil
        pass = nil
    }

    /// `count` samples belong to the timeline from `media` on.
    mutating func append(
        _ count: Int,
        media: Int64,
        rate: PlaybackRate,
        sampleRate: Int,
        epoch: Epoch,
        pass: Int
    ) {
        guard count > 0, sampleRate > 0 else { return }
        if entries.isEmpty { self.epoch = epoch }
        self.sampleRate = Int64(sampleRate)
        self.pass = pass
        // Once around a sample rate is 1 s exactly.
        let step = Step(rate: rate.millionths, sampleRate: Int64(sampleRate))
        entries.append(Entry(frame: frameCount, media: media, step: step))
        if entries.count > 2 * memory { entries.removeFirst(memory) }
        frameCount += Int64(count)
        mediaEnd = media &+ step.media(Int64(count))
    }

    /// Sample `frame` is the next one that is written. Answers where on the timeline it belongs.
    mutating func rewind(to frame: Int64) -> Int64? {
        guard frame < frameCount, let media = media(of: frame) else { return mediaEnd }
        entries.removeAll { $0.frame >= frame }
        frameCount = max(0, frame)
        mediaEnd = entries.isEmpty ? nil : media
        pass = nil
        return media
    }

    /// The moment on the timeline that sample `frame` belongs to; nil before anything was written.
    func media(of frame: Int64) -> Int64? {
        guard let first = entries.first else { return nil }
        var low = 0
        var high = entries.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].frame <= frame { low = middle } else { high = middle }
        }
        let entry = frame < first.frame ? first : entries[low]
        return entry.media &+ entry.step.media(frame - entry.frame)
    }

    /// Samples that so many nanoseconds last.
    func frames(in nanoseconds: Int64) -> Int64 { nanoseconds / 1000 * sampleRate / 1_000_000 }
}
