import MediaCore
import PlayheadBackend

/// The processing of audio between decoder and sink, apart from conversion and the player's volume: the item's
/// mix, its taps, and its rate. At rate 1, without mix and taps, buffers pass unchanged.
///
/// Confined to the audio lane.
final class AudioProcessing {
    private let makeStretcher: @Sendable () -> (any AudioTimeStretcher)?
    private let meters: AudioMeters
    private var mixer = AudioMixer()
    /// The stretcher, created when the rate first differs from 1, and then kept.
    private var stretcher: (any AudioTimeStretcher)?
    private var stretched: AudioFormat?
    /// The last unstretched buffer, which primes the stretcher.
    private var last: AudioBuffer?

    init(
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)?,
        meters: AudioMeters
    ) {
        self.makeStretcher = makeStretcher
        self.meters = meters
    }

    func mix(_ buffer: AudioBuffer, _ origin: AudioOrigin) -> AudioBuffer {
        let settings = origin.settings.read()
        let mixed = mixer.apply(settings.mix, track: origin.track, to: buffer)
        return settings.taps.reduce(mixed) { tap($1, $0) }
    }

    func stretch(_ buffer: AudioBuffer, _ origin: AudioOrigin) -> [AudioBuffer] {
        stretch(buffer, origin.rate, origin.settings.read().algorithm)
    }

    private func tap(_ tap: AudioTap, _ buffer: AudioBuffer) -> AudioBuffer {
        switch tap.work {
        case .meter(let body):
            meters.deliver(buffer, to: body)
            return buffer
        case .process(let body):
            var channels = buffer.floatChannels
            body(buffer, &channels)
            for index in channels.indices where channels[index].count != buffer.frameCount {
                let remaining = max(0, buffer.frameCount - channels[index].count)
                channels[index] =
                    channels[index].prefix(buffer.frameCount) + Array(repeating: 0, count: remaining)
            }
            if channels.isEmpty { channels = [Array(repeating: 0, count: buffer.frameCount)] }
            return buffer.with(channels)
        }
    }

    private func stretch(
        _ buffer: AudioBuffer,
        _ rate: Double,
        _ algorithm: AudioTimePitchAlgorithm
    ) -> [AudioBuffer] {
        guard rate != 1, rate > 0, let stretcher = stretcher ?? makeStretcher() else {
            let remaining = finish(at: 1)
            last = buffer
            return remaining + [buffer]
        }
        self.stretcher = stretcher
        var remaining: [AudioBuffer] = []
        if stretched != buffer.format {
            remaining = finish()
            if let last, last.format == buffer.format { stretcher.prime(with: last) }
            stretched = buffer.format
            last = nil
        }
        stretcher.set(rate: rate, algorithm: algorithm)
        return remaining + stretcher.stretch(buffer)
    }

    /// Returns the audio that the stretcher holds, because the audio ends or continues unstretched.
    ///
    /// - Parameter rate: The rate at which the audio ends, or nil to keep the current rate.
    func finish(at rate: Double? = nil) -> [AudioBuffer] {
        guard stretched != nil, let stretcher else { return [] }
        stretched = nil
        if let rate { stretcher.set(rate: rate, algorithm: .timeDomain) }
        return stretcher.finish()
    }

    /// Discards the audio in the stretcher, because the device has discarded it too. The next buffer follows
    /// `audio`, which was played last.
    func changeRate(after audio: AudioBuffer?) {
        stretcher?.reset()
        stretched = nil
        last = audio
    }

    /// Discards all state for a seek or another item.
    func reset() {
        stretcher?.reset()
        stretched = nil
        last = nil
        mixer.reset()
    }
}

/// Applies an item's volumes over time. A new mix of the item fades in over the preceding one.
private struct AudioMixer {
    private var mix: AudioMix?
    private var old: AudioMix?
    /// The remaining samples of the fade, and its length.
    private var fade = (remaining: 0, length: 0)
    /// The epoch of the last buffer, or nil if there was none since the last reset.
    private var epoch: Epoch?

    mutating func reset() {
        fade.remaining = 0
        epoch = nil
    }

    mutating func apply(_ mix: AudioMix?, track: Int?, to buffer: AudioBuffer) -> AudioBuffer {
        // The next item of a queue begins with its own volumes.
        if buffer.epoch != epoch { fade.remaining = 0 }
        if mix != self.mix {
            old = self.mix
            self.mix = mix
            let length = Int((Double(buffer.format.sampleRate) * AudioGain.rampDuration).rounded())
            fade = buffer.epoch == epoch ? (max(1, length), max(1, length)) : (0, 0)
        }
        epoch = buffer.epoch
        let new = gains(mix, track, buffer)
        guard fade.remaining > 0 else { return new.map { buffer.multiplied(by: $0) } ?? buffer }
        let before = gains(old, track, buffer)
        let result = (0..<buffer.frameCount).map { index in
            let share = fade.remaining > 0 ? Float(fade.remaining) / Float(fade.length) : 0
            if fade.remaining > 0 { fade.remaining -= 1 }
            return (1 - share) * (new?[index] ?? 1) + share * (before?[index] ?? 1)
        }
        return buffer.multiplied(by: result)
    }

    private func gains(_ mix: AudioMix?, _ track: Int?, _ buffer: AudioBuffer) -> [Float]? {
        mix?.parameters(for: track)?.gains(
            from: buffer.presentationTime,
            count: buffer.frameCount,
            sampleRate: buffer.format.sampleRate
        )
    }
}
