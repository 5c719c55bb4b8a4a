public import MediaCore

/// A sink that accepts audio in any format and discards it.
///
/// It has no clock, so the timeline follows the host's clock. In real time it receives audio in pieces of half a
/// second, each when its last sample is due. During playback its counters therefore lag by up to half a second.
public final class NullAudioSink: AudioSink, ImmediateSink {
    private struct State {
        var frameCount = 0
        var lastPresentationTime: MediaTime?
        var isFinished = false
    }

    private let state = Locked(State())

    /// Creates a sink that has received nothing.
    public init() {}

    /// The number of samples per channel received so far. May be read on any thread.
    public var frameCount: Int { state.withLock { $0.frameCount } }
    /// The presentation time of the last buffer since the last flush; nil before the first. May be read on any
    /// thread.
    public var lastPresentationTime: MediaTime? { state.withLock { $0.lastPresentationTime } }
    /// A Boolean value that indicates whether the sink was finished. May be read on any thread.
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
