import Playhead

/// Forwards audio to another sink, and records whether there was any.
final class UsageTrackingAudioSink: AudioSink, Sendable {
    private let inner: any AudioSink
    let usage = UsageFlag()

    init(_ inner: any AudioSink) { self.inner = inner }

    func start(_ format: AudioFormat) throws -> AudioFormat { try inner.start(format) }
    func write(_ buffer: AudioBuffer) throws {
        usage.set()
        try inner.write(buffer)
    }
    func flush() { inner.flush() }
    func finish() { inner.finish() }
}
