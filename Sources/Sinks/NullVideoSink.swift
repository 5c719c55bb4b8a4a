public import MediaCore

/// Looks at frames no further than to count them.
public final class NullVideoSink: VideoSink, ImmediateSink {
    private struct State {
        var frameCount = 0
        var lastPresentationTime: MediaTime?
        var isFinished = false
    }

    private let state = Locked(State())

    /// Nothing taken yet.
    public init() {}

    /// Frames presented so far.
    public var frameCount: Int { state.withLock { $0.frameCount } }
    /// Of the last frame presented since the last flush; nil before the first.
    public var lastPresentationTime: MediaTime? { state.withLock { $0.lastPresentationTime } }
    /// Whether it was told that nothing follows. Any thread.
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    public func start(_ format: VideoFormat) {}

    public func present(_ frame: VideoFrame) {
        state.withLock {
            $0.frameCount += 1
            $0.lastPresentationTime = frame.presentationTime
        }
    }

    public func flush() { state.withLock { $0.lastPresentationTime = nil } }
    public func finish() { state.withLock { $0.isFinished = true } }
}
