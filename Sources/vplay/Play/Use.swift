import Playhead
import Synchronization

/// Whether a sink was given anything.
final class Use: Sendable {
    private let flag = Atomic<Bool>(false)

    var isNoted: Bool { flag.load(ordering: .acquiring) }
    func note() { flag.store(true, ordering: .releasing) }
}

/// Hands all on to another sink.
final class UseNotingVideoSink: VideoSink, Sendable {
    private let inner: any VideoSink
    let use = Use()

    init(_ inner: any VideoSink) { self.inner = inner }

    var acceptedPixelFormats: [PixelFormat] { inner.acceptedPixelFormats }
    var appliesPreferredTrackTransform: Bool { inner.appliesPreferredTrackTransform }
    var lateFramePolicy: LateFramePolicy { inner.lateFramePolicy }
    func start(_ format: VideoFormat) throws { try inner.start(format) }
    func present(_ frame: VideoFrame) throws {
        use.note()
        try inner.present(frame)
    }
    func flush() { inner.flush() }
    func finish() { inner.finish() }
}

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
