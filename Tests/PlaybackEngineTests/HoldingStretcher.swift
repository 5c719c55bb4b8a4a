import MediaCore
import PlayheadBackend

/// A stretcher that holds each buffer until the next one. Real ones hold some audio to compare it with what follows.
///
/// `@unchecked Sendable`: the members are used by one call at a time, as `AudioTimeStretcher` requires.
final class HoldingStretcher: AudioTimeStretcher, @unchecked Sendable {
    private let picking = PickingStretcher()
    private var held: AudioBuffer?

    func set(rate: Double, algorithm: AudioTimePitchAlgorithm) {
        picking.set(rate: rate, algorithm: algorithm)
    }
    func prime(with buffer: AudioBuffer) {}
    func reset() {
        held = nil
        picking.reset()
    }

    func stretch(_ buffer: AudioBuffer) -> [AudioBuffer] {
        defer { held = buffer }
        return held.map { picking.stretch($0) } ?? []
    }

    func finish() -> [AudioBuffer] {
        defer { reset() }
        return held.map { picking.stretch($0) } ?? []
    }
}
