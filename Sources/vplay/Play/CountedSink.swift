import Playhead
import Synchronization

/// Lets `limit` frames through to another sink, and tells when they are through.
final class CountedSink: VideoSink, Sendable {
    private let inner: any VideoSink
    private let limit: Int
    private let atLimit: @Sendable () -> Void
    private let count = Mutex(0)

    init(_ inner: any VideoSink, limit: Int, atLimit: @escaping @Sendable () -> Void) {
        self.inner = inner
        self.limit = limit
        self.atLimit = atLimit
    }

    var acceptedPixelFormats: [PixelFormat] { inner.acceptedPixelFormats }
    var appliesPreferredTrackTransform: Bool { inner.appliesPreferredTrackTransform }
    var lateFramePolicy: LateFramePolicy { inner.lateFramePolicy }

    func start(_ format: VideoFormat) throws {
        // A format that no frame follows in is none of the sink's business.
        if count.withLock({ $0 < limit }) { try inner.start(format) }
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

/// Sinks that have not had all their frames yet.
final class CompletionGroup: Sendable {
    private let count: Mutex<Int>
    private let none: @Sendable () -> Void

    init(_ count: Int, then none: @escaping @Sendable () -> Void) {
        self.count = Mutex(count)
        self.none = none
    }

    func tick() {
        let isLast = count.withLock { count in
            count -= 1
            return count == 0
        }
        if isLast { none() }
    }
}
