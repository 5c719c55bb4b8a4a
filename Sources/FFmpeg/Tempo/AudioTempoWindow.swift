internal import MediaCore

/// The part of the audio that a stretcher works on, by sample number from the start of its run. What lies
/// before it is gone, what lies behind has not come; both read as the nearest sample that is there.
struct AudioTempoWindow {
    private struct Mark {
        var index: Int
        var time: MediaTime
        var epoch: Epoch
        var pass: Int
    }

    let format: AudioFormat
    private(set) var channels: [[Float]]
    /// The number of the first sample that is here.
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

    /// The last samples before the first one.
    mutating func prime(_ buffer: AudioBuffer, atMost count: Int) {
        guard channels.allSatisfy(\.isEmpty) else { return }
        let samples = buffer.floatChannels.map { Array($0.suffix(count)) }
        base = -(samples.first?.count ?? 0)
        channels = samples
    }

    /// Lets go of what lies before `index`, now and then.
    mutating func discard(before index: Int) {
        let count = min(index, end) - base
        guard count > 4096 else { return }
        for channel in channels.indices { channels[channel].removeFirst(count) }
        base += count
    }

    /// A sample, held at both ends.
    func sample(_ channel: Int, _ index: Int) -> Float {
        let samples = channels[channel]
        guard !samples.isEmpty else { return 0 }
        return samples[max(0, min(samples.count - 1, index - base))]
    }

    /// A copy of a range of samples, held at both ends.
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

    /// `count` samples from `start` on, which must all be here, one pointer per channel.
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

    /// When the audio at `position` is due, and where the next pass or epoch begins behind it.
    mutating func timing(at position: Double) -> (time: MediaTime, epoch: Epoch, pass: Int, next: Int?) {
        while marks.count > 1, Double(marks[1].index) <= position { marks.removeFirst() }
        guard let mark = marks.first else { return (.zero, Epoch(), 0, nil) }
        let ahead = (position - Double(mark.index)).rounded()
        let offset = MediaTime(value: Int64(ahead), timescale: Int32(clamping: format.sampleRate))
        let next = marks.first { $0.pass != mark.pass || $0.epoch != mark.epoch }
        return (mark.time + offset, mark.epoch, mark.pass, next?.index)
    }
}
