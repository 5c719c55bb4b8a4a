internal import Glibc
package import MediaCore
import PlayheadBackend

/// A time stretcher that overlaps segments of the audio where their waveforms match, or resamples the audio
/// (varispeed). Output is produced in hops of 10 ms. A change of rate or algorithm takes effect with the next hop.
///
/// `@unchecked Sendable`: the members are used by one call at a time, as `AudioTimeStretcher` requires.
package final class OverlapStretcher: AudioTimeStretcher, @unchecked Sendable {
    /// The continuation of the audio as it was. It is faded out under the audio that replaces it.
    enum Tail {
        case natural(Int)
        case resampled(Double, rate: Double)
        case silence
    }

    enum Mode { case overlap, varispeed, silence }

    private var algorithm = AudioTimePitchAlgorithm.timeDomain
    private(set) var rate = 1.0
    var window: AudioTempoWindow?
    /// The position in the input of the next output sample.
    private(set) var position = 0.0
    var tail = Tail.natural(0)
    private var correlator: AudioCorrelator?

    /// The number of samples in a hop of 10 ms. Segments are two hops long.
    private var hop = 0
    /// The distance by which a segment may be displaced: 15 ms, so that a period of 33 Hz fits into the search range.
    private var searchRadius = 0
    private var fadeIn: [Float] = []
    private var output: [[Float]] = []

    package init() {}

    package func set(rate: Double, algorithm: AudioTimePitchAlgorithm) {
        self.rate = rate.isFinite ? max(0.01, min(64, rate)) : 1
        self.algorithm = algorithm
    }

    private var mode: Mode {
        guard AudioTempo.rates.contains(rate) else { return .silence }
        // At rate 1 both algorithms return the input unchanged. Overlapping does so exactly.
        return algorithm == .varispeed && rate != 1 ? .varispeed : .overlap
    }

    package func prime(with buffer: AudioBuffer) {
        begin(buffer.format)
        window?.prime(buffer, atMost: VarispeedKernel.halfWidth(at: AudioTempo.rates.upperBound))
    }

    package func stretch(_ buffer: AudioBuffer) -> [AudioBuffer] {
        if window?.format != buffer.format { begin(buffer.format) }
        window?.append(buffer)
        let start = position
        while hasInputForHop { makeHop(upTo: nil) }
        return collect(from: start)
    }

    package func finish() -> [AudioBuffer] {
        guard let end = window?.end else { return [] }
        let start = position
        while Double(end) - position >= 2 * rate * Double(hop) { makeHop(upTo: end) }
        makeEnd(end)
        let remaining = collect(from: start)
        reset()
        return remaining
    }

    package func reset() {
        window = nil
        position = 0
        tail = .natural(0)
        output = []
    }

    private func begin(_ format: AudioFormat) {
        let newHop = max(8, format.sampleRate / 100)
        if newHop != hop {
            hop = newHop
            searchRadius = newHop * 3 / 2
            fadeIn = (0..<hop).map { Float(0.5 - 0.5 * cos(.pi * (Double($0) + 0.5) / Double(hop))) }
            correlator = nil
        }
        window = AudioTempoWindow(format: format)
        position = 0
        tail = .natural(0)
        output = Array(repeating: [], count: max(1, format.channelCount))
    }

    // MARK: Hops

    /// Whether there is enough input for a hop, and for an end that fades out if there is no more.
    private var hasInputForHop: Bool {
        guard let window else { return false }
        let step = rate * Double(hop)
        let ahead =
            switch mode {
            case .overlap: max(step, Double(hop)) + Double(hop + searchRadius + 1)
            case .varispeed:
                max(step, tailRate * Double(hop))
                    + Double(max(2 * hop, VarispeedKernel.halfWidth(at: max(rate, tailRate)) + 1))
            case .silence: 3 * step
            }
        return Double(window.end) >= position + ahead
    }

    private var tailRate: Double {
        if case .resampled(_, let rate) = tail { rate } else { 1 }
    }

    /// Produces one hop. If `end` is not nil, segments are taken only from before it.
    private func makeHop(upTo end: Int?) {
        guard let window else { return }
        let next = position + rate * Double(hop)
        switch mode {
        case .overlap:
            let start = pieceStart(Int(next.rounded()) - hop, window, end)
            append(hop, fade: hop, window) { window.sample($0, start + $1) }
            tail = .natural(start + hop)
        case .varispeed:
            appendResampled(hop, window)
        case .silence:
            appendSilence(hop, window)
        }
        position = next
        self.window?.discard(
            before: Int(position) - 2 * hop - 2 * searchRadius - VarispeedKernel.halfWidth(at: rate)
        )
    }

    /// Produces the last one or two hops, so that the output ends with the last sample.
    private func makeEnd(_ end: Int) {
        guard let window else { return }
        let count = Int(((Double(end) - position) / rate).rounded())
        if count > 0 {
            switch mode {
            case .overlap:
                append(count, fade: min(hop, count), window) { window.sample($0, end - count + $1) }
            case .varispeed:
                appendResampled(count, window)
            case .silence:
                appendSilence(count, window)
            }
        }
        position = Double(end)
    }

    /// Appends samples, cross-fading from the continuation of the previous audio during the first `fade` samples.
    private func append(
        _ count: Int,
        fade: Int,
        _ window: AudioTempoWindow,
        _ sample: (Int, Int) -> Float
    ) {
        let old = tailSamples(min(fade, count), window)
        for channel in output.indices {
            for index in 0..<count {
                let new = sample(channel, index)
                guard index < fade else {
                    output[channel].append(new)
                    continue
                }
                let weight = fadeIn[index * hop / fade]
                output[channel].append(old[channel][index] + weight * (new - old[channel][index]))
            }
        }
    }

    /// Appends silence, into which the audio before it is faded out.
    private func appendSilence(_ count: Int, _ window: AudioTempoWindow) {
        // At the start of a run nothing has been played that could be faded out.
        if position == 0, window.base == 0 { tail = .silence }
        append(count, fade: min(hop, count), window) { _, _ in 0 }
        tail = .silence
    }

    private func appendResampled(_ count: Int, _ window: AudioTempoWindow) {
        // At another rate the waveform would be continuous, but with a discontinuous slope.
        var isContinuing = false
        if case .resampled(_, rate) = tail { isContinuing = true }
        let made = VarispeedKernel.resample(window, from: position, rate: rate, count: count)
        append(count, fade: isContinuing ? 0 : min(hop, count), window) { made[$0][$1] }
        tail = .resampled(position + rate * Double(count), rate: rate)
    }

    /// Returns the samples that would have followed, as far as they are faded out.
    private func tailSamples(_ count: Int, _ window: AudioTempoWindow) -> [[Float]] {
        let silence = output.map { _ in [Float](repeating: 0, count: count) }
        guard count > 0 else { return silence }
        switch tail {
        case .natural(let start):
            return output.indices.map { window.samples($0, start...(start + count - 1)) }
        case .resampled(let start, let rate):
            return VarispeedKernel.resample(window, from: start, rate: rate, count: count)
        case .silence: return silence
        }
    }

    // MARK: Segments

    /// Returns the start of the segment near `ideal` that continues the audio best.
    private func pieceStart(_ ideal: Int, _ window: AudioTempoWindow, _ end: Int?) -> Int {
        let length = 2 * hop
        let last = min(ideal + searchRadius, (end ?? window.end) - length)
        let first = min(max(ideal - searchRadius, window.base), last)
        let target: Int
        switch tail {
        case .natural(let start): target = start
        case .resampled(let next, _): target = Int(next.rounded())
        case .silence: return max(first, min(last, ideal))
        }
        guard last > first, first >= window.base, target >= window.base, target + length <= window.end,
            let correlator = correlator ?? makeCorrelator()
        else { return max(first, min(last, ideal)) }
        let lag = window.withSamples(at: target) { targets in
            window.withSamples(at: first) { regions in
                correlator.bestLag(
                    of: targets,
                    count: length,
                    in: regions,
                    lags: last - first + 1,
                    fallback: max(0, min(last - first, ideal - first))
                )
            }
        }
        return first + lag
    }

    private func makeCorrelator() -> AudioCorrelator? {
        correlator = AudioCorrelator(regionLength: 2 * searchRadius + 2 * hop + 1)
        return correlator
    }

    // MARK: Buffers

    /// Returns the output since `start` as buffers, divided where a pass ends.
    private func collect(from start: Double) -> [AudioBuffer] {
        guard window != nil, let total = output.first?.count, total > 0 else { return [] }
        var buffers: [AudioBuffer] = []
        var emitted = 0
        while emitted < total, let format = window?.format {
            let from = start + rate * Double(emitted)
            guard let timing = window?.timing(at: from) else { break }
            var count = total - emitted
            if let next = timing.next {
                count = min(count, max(1, Int(((Double(next) - from) / rate).rounded(.up))))
            }
            buffers.append(
                AudioBuffer(
                    floatChannels: output.map { Array($0[emitted..<emitted + count]) },
                    format: format,
                    presentationTime: timing.time,
                    rate: rate,
                    epoch: timing.epoch,
                    pass: timing.pass
                )
            )
            emitted += count
        }
        output = output.map { _ in [] }
        return buffers
    }
}
