import Playhead
import Synchronization

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
