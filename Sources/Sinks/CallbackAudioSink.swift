public import MediaCore

/// A sink that passes samples to a closure, on the queue that feeds audio sinks.
public final class CallbackAudioSink: AudioSink {
    private let onStart: @Sendable (AudioFormat) throws -> AudioFormat
    private let onFlush: @Sendable () -> Void
    private let onFinish: @Sendable () -> Void
    private let onBuffer: @Sendable (AudioBuffer) throws -> Void

    /// Creates a sink from closures.
    ///
    /// - Parameters:
    ///   - onStart: Receives the decoder's format and returns the format to deliver; by default, the decoder's own.
    ///   - onFlush: Called for a seek or a new item.
    ///   - onFinish: Called once at the end.
    ///   - onBuffer: Receives each run of samples. An error finishes the sink.
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

    /// Creates a sink that always receives one format.
    ///
    /// - Parameters:
    ///   - format: The format to deliver.
    ///   - onBuffer: Receives each run of samples. An error finishes the sink.
    public convenience init(
        format: AudioFormat,
        onBuffer: @escaping @Sendable (AudioBuffer) throws -> Void
    ) {
        self.init(onStart: { _ in format }, onBuffer: onBuffer)
    }

    /// Calls the start closure.
    ///
    /// - Throws: Whatever the closure throws.
    public func start(_ format: AudioFormat) throws -> AudioFormat { try onStart(format) }
    /// Calls the buffer closure.
    ///
    /// - Throws: Whatever the closure throws.
    public func write(_ buffer: AudioBuffer) throws { try onBuffer(buffer) }
    public func flush() { onFlush() }
    public func finish() { onFinish() }
}
