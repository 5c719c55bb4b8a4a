import Playhead
import Synchronization

/// Hands all on to another sink.
final class UseNotingAudioSink: AudioSink, Sendable {
    private let inner: any AudioSink
    let use = Use()

    init(_ inner: any AudioSink) { self.inner = inner }

    func start(_ format: AudioFormat) throws -> AudioFormat { try inner.start(format) }
    func write(_ buffer: AudioBuffer) throws {
        use.note()
        try inner.write(buffer)
    }
    func flush() { inner.flush() }
    func finish() { inner.finish() }
}
