import MediaCore
import PlayheadBackend

/// A stretcher that skips or repeats samples, so that each sample still shows its time.
///
/// `@unchecked Sendable`: the members are used by one call at a time, as `AudioTimeStretcher` requires.
final class PickingStretcher: AudioTimeStretcher, @unchecked Sendable {
    private var rate = 1.0
    /// The position of the next sample in the next buffer.
    private var position = 0.0

    func set(rate: Double, algorithm: AudioTimePitchAlgorithm) { self.rate = rate }
    func prime(with buffer: AudioBuffer) {}
    func reset() { position = 0 }

    func stretch(_ buffer: AudioBuffer) -> [AudioBuffer] {
        var picked: [Float] = []
        let start = position
        let samples = buffer.floatChannels[0]
        while Int(position) < samples.count {
            picked.append(samples[Int(position)])
            position += rate
        }
        position -= Double(samples.count)
        let skipped = MediaTime(value: Int64(start), timescale: Int32(buffer.format.sampleRate))
        return [
            AudioBuffer(
                floatChannels: [picked],
                format: buffer.format,
                presentationTime: buffer.presentationTime + skipped,
                rate: rate,
                epoch: buffer.epoch,
                pass: buffer.pass
            )
        ]
    }

    func finish() -> [AudioBuffer] {
        position = 0
        return []
    }
}
