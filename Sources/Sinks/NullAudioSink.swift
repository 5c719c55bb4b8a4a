public import MediaCore

/// Takes audio in whatever format it comes and keeps none of it. It has no clock of its own: the timeline
/// runs on the host's. In real time it gets audio in pieces of half a second, each when the last of it is due: its
/// numbers are behind by as much while it plays.
public final class NullAudioSink: AudioSink, ImmediateSink {
    private struct State {
        var frameCount = 0
        var lastPresentationTime: MediaTime?
        var isFinished = false
    }

    private let state = Locked(State())

    /// Nothing taken yet.
    public init() {}

    /// Samples per channel taken so far.
    public var frameCount: Int { state.withLock { $0.frameCount } }
    /// Of the last buffer taken since the last flush; nil before the first.
    public var lastPresentationTime: MediaTime? { state.withLock { $0.lastPresentationTime } }
    /// Whether it was told that nothing follows. Any thread.
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    public func start(_ format: AudioFormat) -> AudioFormat { format }

    public func write(_ buffer: AudioBuffer) {
        state.withLock {
            $0.frameCount += buffer.frameCount
            $0.lastPresentationTime = buffer.presentationTime
        }
    }

    public func flush() { state.withLock { $0.lastPresentationTime = nil } }
    public func finish() { state.withLock { $0.isFinished = true } }
}
