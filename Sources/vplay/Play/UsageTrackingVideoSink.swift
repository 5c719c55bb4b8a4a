import Playhead

/// Forwards frames to another sink, and records whether there were any.
final class UsageTrackingVideoSink: VideoSink, Sendable {
    private let inner: any VideoSink
    let usage = UsageFlag()

    init(_ inner: any VideoSink) { self.inner = inner }

    var acceptedPixelFormats: [PixelFormat] { inner.acceptedPixelFormats }
    var appliesPreferredTrackTransform: Bool { inner.appliesPreferredTrackTransform }
    var lateFramePolicy: LateFramePolicy { inner.lateFramePolicy }
    func start(_ format: VideoFormat) throws { try inner.start(format) }
    func present(_ frame: VideoFrame) throws {
        usage.set()
        try inner.present(frame)
    }
    func flush() { inner.flush() }
    func finish() { inner.finish() }
}
