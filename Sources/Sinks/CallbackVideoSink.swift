public import MediaCore

/// A sink that passes frames to a closure, on the sink's own queue.
public final class CallbackVideoSink: VideoSink {
    public let acceptedPixelFormats: [PixelFormat]
    public let appliesPreferredTrackTransform: Bool
    public let rendersSubtitles: Bool
    public let lateFramePolicy: LateFramePolicy
    private let onStart: @Sendable (VideoFormat) throws -> Void
    private let onFlush: @Sendable () -> Void
    private let onFinish: @Sendable () -> Void
    private let onFrame: @Sendable (VideoFrame) throws -> Void

    /// Creates a sink from closures.
    ///
    /// - Parameters:
    ///   - pixelFormats: The accepted pixel formats, in order of preference; empty for the decoder's own format,
    ///     unchanged and uncopied.
    ///   - appliesPreferredTrackTransform: Whether frames arrive upright and with square pixels if the layer has no
    ///     size.
    ///   - rendersSubtitles: Whether the selected subtitles are drawn into frames, which then arrive upright and with
    ///     square pixels.
    ///   - lateFramePolicy: The policy for frames that become due before the closure has returned.
    ///   - onStart: Receives the format of the frames that follow. An error finishes the sink.
    ///   - onFlush: Called for a seek or a new item.
    ///   - onFinish: Called once at the end.
    ///   - onFrame: Receives each frame when it is due. An error finishes the sink.
    public init(
        pixelFormats: [PixelFormat] = [],
        appliesPreferredTrackTransform: Bool = false,
        rendersSubtitles: Bool = false,
        lateFramePolicy: LateFramePolicy = .dropLate,
        onStart: @escaping @Sendable (VideoFormat) throws -> Void = { _ in },
        onFlush: @escaping @Sendable () -> Void = {},
        onFinish: @escaping @Sendable () -> Void = {},
        onFrame: @escaping @Sendable (VideoFrame) throws -> Void
    ) {
        acceptedPixelFormats = pixelFormats
        self.appliesPreferredTrackTransform = appliesPreferredTrackTransform
        self.rendersSubtitles = rendersSubtitles
        self.lateFramePolicy = lateFramePolicy
        self.onStart = onStart
        self.onFlush = onFlush
        self.onFinish = onFinish
        self.onFrame = onFrame
    }

    /// Calls the start closure.
    ///
    /// - Throws: Whatever the closure throws.
    public func start(_ format: VideoFormat) throws { try onStart(format) }
    /// Calls the frame closure.
    ///
    /// - Throws: Whatever the closure throws.
    public func present(_ frame: VideoFrame) throws { try onFrame(frame) }
    public func flush() { onFlush() }
    public func finish() { onFinish() }
}
