internal import CFFmpeg
internal import MediaCore

/// Cuts the samples that an encoder added behind the end, where the container declares them.
///
/// A packet that says it lasts fewer samples than it holds is believed only when it is the last one, so its
/// samples are held back until the next arrive or the stream ends.
struct PaddingTrimmer {
    private let end: AudioEnd
    private let mapping: TimeMapping
    private var ready: [AudioBuffer] = []
    private var held: (buffer: AudioBuffer, frameCount: Int)?

    init(end: AudioEnd, mapping: TimeMapping) {
        self.end = end
        self.mapping = mapping
    }

    mutating func popReady() -> AudioBuffer? { ready.isEmpty ? nil : ready.removeFirst() }

    mutating func push(_ buffer: AudioBuffer, declaredTicks: Int64) {
        release()
        guard let cut = trimmedToEnd(buffer) else { return }
        if let count = shorterCount(cut, declaredTicks) {
            held = (cut, count)
        } else {
            ready.append(cut)
        }
    }

    /// The stream ends: what was held back is the last packet's.
    mutating func finish() {
        guard let held else { return }
        self.held = nil
        let cut = held.buffer.trimmed(last: held.buffer.frameCount - held.frameCount)
        if cut.frameCount > 0 { ready.append(cut) }
    }

    mutating func reset() {
        ready.removeAll()
        held = nil
    }

    private mutating func release() {
        if let held { ready.append(held.buffer) }
        held = nil
    }

    /// nil when nothing of the buffer is content.
    private func trimmedToEnd(_ buffer: AudioBuffer) -> AudioBuffer? {
        guard let last = end.ticks, buffer.format.sampleRate == Int(mapping.timeBase.denominator) else {
            return buffer
        }
        let limit = mapping.itemTime(last)
        let bufferEnd = buffer.presentationTime + buffer.duration
        guard bufferEnd > limit, let excess = samples(in: bufferEnd - limit, rate: buffer.format.sampleRate)
        else {
            return buffer
        }
        let cut = buffer.trimmed(last: excess)
        return cut.frameCount > 0 ? cut : nil
    }

    private func shorterCount(_ buffer: AudioBuffer, _ declaredTicks: Int64) -> Int? {
        guard end.trustsPacketDurations, declaredTicks > 0 else { return nil }
        guard let count = samples(in: mapping.sourceTime(declaredTicks), rate: buffer.format.sampleRate)
        else {
            return nil
        }
        return count < buffer.frameCount ? count : nil
    }

    /// nil unless the time is a whole number of samples.
    private func samples(in time: MediaTime, rate: Int) -> Int? {
        guard time.isNumeric else { return nil }
        let (product, overflow) = time.value.multipliedReportingOverflow(by: Int64(rate))
        guard !overflow, product >= 0, product % Int64(time.timescale) == 0 else { return nil }
        return Int(product / Int64(time.timescale))
    }
}
