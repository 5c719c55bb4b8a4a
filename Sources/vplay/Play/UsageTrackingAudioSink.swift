import PlayheadCore
import Synchronization

/// Forwards audio to another sink, and records whether there was any.
final class UsageTrackingAudioSink: AudioSink, Sendable {
    private let inner: any AudioSink
    private let hasAudio = Atomic<Bool>(false)

    init(_ inner: any AudioSink) { self.inner = inner }

    /// Whether the sink has received audio.
    var isUsed: Bool { hasAudio.load(ordering: .acquiring) }

    func start(_ format: AudioFormat) throws -> AudioFormat { try inner.start(format) }
    func write(_ buffer: AudioBuffer) throws {
        hasAudio.store(true, ordering: .releasing)
        try inner.write(buffer)
    }
    func flush() { inner.flush() }
    func finish() { inner.finish() }
}
