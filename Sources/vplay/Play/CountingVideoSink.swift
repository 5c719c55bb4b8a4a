import PlayheadCore
import Synchronization

/// A sink that counts frames and forwards them to another sink up to a limit, which it reports.
final class CountingVideoSink: VideoSink, Sendable {
    private let inner: any VideoSink
    private let limit: Int
    private let atLimit: @Sendable () -> Void
    private let count = Mutex(0)

    init(_ inner: any VideoSink, limit: Int = .max, atLimit: @escaping @Sendable () -> Void = {}) {
        self.inner = inner
        self.limit = limit
        self.atLimit = atLimit
    }

    /// The number of received frames, including those after the limit.
    var frameCount: Int { count.withLock { $0 } }

    var acceptedPixelFormats: [PixelFormat] { inner.acceptedPixelFormats }
    var appliesPreferredTrackTransform: Bool { inner.appliesPreferredTrackTransform }
    var rendersSubtitles: Bool { inner.rendersSubtitles }
    var lateFramePolicy: LateFramePolicy { inner.lateFramePolicy }

    func start(_ format: VideoFormat) throws {
        // A format change after the last frame is not forwarded.
        if frameCount < limit { try inner.start(format) }
    }

    func present(_ frame: VideoFrame) throws {
        let number = count.withLock { count in
            count += 1
            return count
        }
        guard number <= limit else { return }
        try inner.present(frame)
        if number == limit { atLimit() }
    }

    func flush() { inner.flush() }
    func finish() { inner.finish() }
}
