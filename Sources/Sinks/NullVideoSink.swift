public import MediaCore

/// A sink that counts frames and discards them.
public final class NullVideoSink: VideoSink, ImmediateSink {
    private struct State {
        var frameCount = 0
        var lastPresentationTime: MediaTime?
        var isFinished = false
    }

    private let state = Locked(State())

    /// Creates a sink that has received nothing.
    public init() {}

    /// The number of frames received so far. May be read on any thread.
    public var frameCount: Int { state.withLock { $0.frameCount } }
    /// The presentation time of the last frame since the last flush; nil before the first. May be read on any thread.
    public var lastPresentationTime: MediaTime? { state.withLock { $0.lastPresentationTime } }
    /// A Boolean value that indicates whether the sink was finished. May be read on any thread.
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
