import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Samples that hold the low 16 bits of their own index, so that one lost or doubled shows.
final class ScriptedSamples: AudioBufferStorage {
    private let samples: [Int16]

    init(first: Int, count: Int) {
        samples = (first..<(first + count)).map { Int16(truncatingIfNeeded: $0) }
    }

    func withPlanes<R>(_ body: ([UnsafeRawPointer]) throws -> R) rethrows -> R {
        try samples.withUnsafeBytes { raw in try body(raw.baseAddress.map { [$0] } ?? []) }
    }
}
