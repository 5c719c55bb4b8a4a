internal import Foundation
package import MediaCore
import PlayheadBackend

/// Stretches audio by overlapping pieces of it where their waveforms match, or plays it faster and slower as a
/// tape does. Output is made in hops of a hundredth of a second; a change of rate or algorithm counts from the
/// next hop on.
///
/// Unchecked: the members are used by one call at a time, as `AudioTimeStretcher` demands.
package final class OverlapStretcher: AudioTimeStretcher, @unchecked Sendable {
    /// What would be heard next if the audio went on as it was; it fades out under what comes instead.
    enum Tail {
        case natural(Int)
        case resampled(Double, rate: Double)
        case silence
    }

    enum Mode { case overlap, varispeed, silence }

    private var algorithm = AudioTimePitchAlgorithm.timeDomain
    private(set) var rate = 1.0
    var window: AudioTempoWindow?
    /// Where in the audio that came in the next sample to go out lies.
    private(set) var position = 0.0
    var tail = Tail.natural(0)
    private var correlator: AudioCorrelator?

    /// Samples in a hop: 10 ms. Pieces are two hops long.
    private var hop = 0
    /// How far from its place a piece may be taken: 15 ms, so that a period of 33 Hz fits into the search.
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
        // At rate 1 both are the audio itself, which pieces of it are to the last bit.
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

    /// Enough for a hop, and for an end that fades if there is no more.
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

    /// `end`: nothing follows that; pieces are taken from before it.
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
            append(hop, fade: hop, window) { _, _ in 0 }
            tail = .silence
        }
        position = next
        self.window?.discard(
            before: Int(position) - 2 * hop - 2 * searchRadius - VarispeedKernel.halfWidth(at: rate)
        )
    }

    /// The last hop or two, which end on the last sample.
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
                let (fadeIn, fade) = (fadeIn, min(hop, count))
                append(count, fade: fade, window) { channel, index in
                    guard index >= count - fade else { return 0 }
                    let weight = fadeIn[(index - count + fade) * self.hop / fade]
                    return weight * window.sample(channel, end - count + index)
                }
            }
        }
        position = Double(end)
    }

    /// `sample`, with what would have followed fading out under the first `fade` samples.
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

    private func appendResampled(_ count: Int, _ window: AudioTempoWindow) {
        // At another speed the audio would go on at the same place, but with a corner.
        var isContinuing = false
        if case .resampled(_, rate) = tail { isContinuing = true }
        let made = VarispeedKernel.resample(window, from: position, rate: rate, count: count)
        append(count, fade: isContinuing ? 0 : min(hop, count), window) { made[$0][$1] }
        tail = .resampled(position + rate * Double(count), rate: rate)
    }

    /// What would have been heard next, as far as it fades out.
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

    // MARK: Pieces

    /// Where the piece begins that continues the audio best, near `ideal`.
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

    /// What was made since `start`, cut where a pass ends in it.
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
