import MediaCore
import PlayheadBackend

/// Another speed by leaving samples out, or giving them several times: each that is heard still tells its time.
///
/// Unchecked: the members are used by one call at a time, as `AudioTimeStretcher` demands.
final class PickingStretcher: AudioTimeStretcher, @unchecked Sendable {
    private var rate = 1.0
    /// Where in the next buffer the next sample lies.
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
