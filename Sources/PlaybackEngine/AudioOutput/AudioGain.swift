import MediaCore

/// Applies the player's volume sample by sample.
///
/// A change is a linear ramp of the amplitude over 15 ms, so that it does not click. A change during a ramp
/// continues from the current amplitude.
struct AudioGain {
    /// The duration of a ramp in seconds.
    static let rampDuration = 0.015

    private var current: Float = 1
    private var target: Float = 1
    private var step: Float = 0
    private var remainingSamples = 0
    private var hasOutput = false
    /// The samples of muted audio, reused while the buffers have the same format.
    private var silence: Silence?

    mutating func set(_ volume: Float) {
        guard volume != target else { return }
        target = volume
        remainingSamples = 0
        // Nothing has been played that could click.
        if !hasOutput { current = volume }
    }

    /// Ends a ramp, because the next buffer does not follow the last one.
    mutating func reset() {
        current = target
        remainingSamples = 0
        hasOutput = false
    }

    /// Returns the buffer with the volume applied. At volume 1 it is the same buffer.
    mutating func apply(to buffer: AudioBuffer) -> AudioBuffer {
        hasOutput = true
        if current == target, current == 1 { return buffer }
        if current == target, current == 0, let silent = silentCopy(of: buffer) { return silent }
        if current != target, remainingSamples == 0 {
            remainingSamples = max(1, Int((Double(buffer.format.sampleRate) * Self.rampDuration).rounded()))
            step = (target - current) / Float(remainingSamples)
        }
        var gains = [Float](repeating: target, count: buffer.frameCount)
        for index in gains.indices {
            guard remainingSamples > 0 else { break }
            remainingSamples -= 1
            current = remainingSamples == 0 ? target : target - step * Float(remainingSamples)
            gains[index] = current
        }
        return buffer.multiplied(by: gains)
    }

    /// Returns a buffer of the same length with zero samples, or nil if zero is not silence in its format.
    private mutating func silentCopy(of buffer: AudioBuffer) -> AudioBuffer? {
        guard SilentStorage.isSilence(in: buffer.format) else { return nil }
        let count = buffer.frameCount
        if silence.map({ $0.format != buffer.format || $0.frameCount < count }) ?? true {
            silence = Silence(buffer.format, frameCount: count)
        }
        guard let storage = silence?.storage else { return nil }
        var silent = AudioBuffer(
            format: buffer.format,
            presentationTime: buffer.presentationTime,
            frameCount: count,
            storage: storage,
            epoch: buffer.epoch,
            pass: buffer.pass
        )
        silent.rate = buffer.rate
        return silent
    }

    private struct Silence {
        let format: AudioFormat
        let frameCount: Int
        let storage: SilentStorage

        init(_ format: AudioFormat, frameCount: Int) {
            self.format = format
            self.frameCount = frameCount
            storage = SilentStorage(format, frameCount: frameCount)
        }
    }
}

extension AudioBuffer {
    /// Returns the buffer with each sample of every channel multiplied by the gain at its index.
    func multiplied(by gains: [Float]) -> AudioBuffer {
        var channels = floatChannels
        for channel in channels.indices {
            for index in channels[channel].indices where index < gains.count {
                channels[channel][index] *= gains[index]
            }
        }
        return with(channels)
    }

    /// Returns a buffer with other samples.
    func with(_ channels: [[Float]]) -> AudioBuffer {
        AudioBuffer(
            floatChannels: channels,
            format: format,
            presentationTime: presentationTime,
            rate: rate,
            epoch: epoch,
            pass: pass
        )
    }
}
