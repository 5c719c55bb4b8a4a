import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Samples that are the low 16 bits of their own index, so that a lost or duplicated sample is noticed.
final class ScriptedSamples: AudioBufferStorage {
    private let samples: [Int16]

    init(first: Int, count: Int) {
        samples = (first..<(first + count)).map { Int16(truncatingIfNeeded: $0) }
    }

    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R {
        try samples.withUnsafeBytes { raw in try body(raw.baseAddress.map { [$0] } ?? []) }
    }
}
