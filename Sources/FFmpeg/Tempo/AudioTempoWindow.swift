internal import MediaCore

/// The part of the audio that a stretcher works on, indexed by sample number from the start of the run. Samples before
/// and after it are not available and read as the nearest sample of the window.
struct AudioTempoWindow {
    private struct Mark {
        var index: Int
        var time: MediaTime
        var epoch: Epoch
        var pass: Int
    }

    let format: AudioFormat
    private(set) var channels: [[Float]]
    /// The number of the first sample in the window.
    private(set) var base = 0
    private var marks: [Mark] = []

    init(format: AudioFormat) {
        self.format = format
        channels = Array(repeating: [], count: max(1, format.channelCount))
    }

    var end: Int { base + (channels.first?.count ?? 0) }

    mutating func append(_ buffer: AudioBuffer) {
        marks.append(
            Mark(index: end, time: buffer.presentationTime, epoch: buffer.epoch, pass: buffer.pass)
        )
        for (index, samples) in buffer.floatChannels.enumerated() { channels[index] += samples }
    }

    /// Fills the window with the last samples before sample 0.
    mutating func prime(_ buffer: AudioBuffer, atMost count: Int) {
        guard channels.allSatisfy(\.isEmpty) else { return }
        let samples = buffer.floatChannels.map { Array($0.suffix(count)) }
        base = -(samples.first?.count ?? 0)
        channels = samples
    }

    /// Discards samples before `index`. It does nothing until there are enough of them.
    mutating func discard(before index: Int) {
        let count = min(index, end) - base
        guard count > 4096 else { return }
        for channel in channels.indices { channels[channel].removeFirst(count) }
        base += count
    }

    /// Returns a sample, clamped to the window.
    func sample(_ channel: Int, _ index: Int) -> Float {
        let samples = channels[channel]
        guard !samples.isEmpty else { return 0 }
        return samples[max(0, min(samples.count - 1, index - base))]
    }

    /// Returns a copy of a range of samples, clamped to the window.
    func samples(_ channel: Int, _ range: ClosedRange<Int>) -> [Float] {
        let samples = channels[channel]
        guard let first = samples.first, let last = samples.last else {
            return Array(repeating: 0, count: range.count)
        }
        let inside = range.clamped(to: base...(base + samples.count - 1))
        let before = max(0, min(range.upperBound + 1, base) - range.lowerBound)
        let after = max(0, range.upperBound - max(range.lowerBound - 1, base + samples.count - 1))
        guard before + after < range.count else {
            return Array(repeating: before > 0 ? first : last, count: range.count)
        }
        return Array(repeating: first, count: before)
            + samples[(inside.lowerBound - base)...(inside.upperBound - base)]
            + Array(repeating: last, count: after)
    }

    /// Calls `body` with one pointer per channel to the samples from `start` on, which must be in the window.
    func withSamples<R>(at start: Int, _ body: ([UnsafePointer<Float>]) -> R) -> R {
        func collect(_ index: Int, _ found: [UnsafePointer<Float>]) -> R {
            guard index < channels.count else { return body(found) }
            return channels[index].withUnsafeBufferPointer { samples in
                guard let first = samples.baseAddress else { return body([]) }
                return collect(index + 1, found + [first + (start - base)])
            }
        }
        return collect(0, [])
    }

    // MARK: Time

    /// Returns the time of the audio at `position`, its epoch and pass, and the index at which the next pass or epoch
    /// begins.
    mutating func timing(at position: Double) -> (time: MediaTime, epoch: Epoch, pass: Int, next: Int?) {
        while marks.count > 1, Double(marks[1].index) <= position { marks.removeFirst() }
        guard let mark = marks.first else { return (.zero, Epoch(), 0, nil) }
        let ahead = (position - Double(mark.index)).rounded()
        let offset = MediaTime(value: Int64(ahead), timescale: Int32(clamping: format.sampleRate))
        let next = marks.first { $0.pass != mark.pass || $0.epoch != mark.epoch }
        return (mark.time + offset, mark.epoch, mark.pass, next?.index)
    }
}
