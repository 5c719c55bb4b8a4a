public import MediaCore

/// Hands each run of samples to a closure, on the queue that feeds sinks with audio.
public final class CallbackAudioSink: AudioSink {
    private let onStart: @Sendable (AudioFormat) throws -> AudioFormat
    private let onFlush: @Sendable () -> Void
    private let onFinish: @Sendable () -> Void
    private let onBuffer: @Sendable (AudioBuffer) throws -> Void

    /// `onStart` is told the decoder's format and says which one it wants; the decoder's own if not given.
    public init(
        onStart: @escaping @Sendable (AudioFormat) throws -> AudioFormat = { $0 },
        onFlush: @escaping @Sendable () -> Void = {},
        onFinish: @escaping @Sendable () -> Void = {},
        onBuffer: @escaping @Sendable (AudioBuffer) throws -> Void
    ) {
        self.onStart = onStart
        self.onFlush = onFlush
        self.onFinish = onFinish
        self.onBuffer = onBuffer
    }

    /// Always wants `format`.
    public convenience init(
        format: AudioFormat,
        onBuffer: @escaping @Sendable (AudioBuffer) throws -> Void
    ) {
        self.init(onStart: { _ in format }, onBuffer: onBuffer)
    }

    public func start(_ format: AudioFormat) throws -> AudioFormat { try onStart(format) }
    public func write(_ buffer: AudioBuffer) throws { try onBuffer(buffer) }
    public func flush() { onFlush() }
    public func finish() { onFinish() }
}
