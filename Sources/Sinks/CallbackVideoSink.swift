public import MediaCore

/// Hands each frame to a closure, on the sink's own queue.
public final class CallbackVideoSink: VideoSink {
    public let acceptedPixelFormats: [PixelFormat]
    public let appliesPreferredTrackTransform: Bool
    public let lateFramePolicy: LateFramePolicy
    private let onStart: @Sendable (VideoFormat) throws -> Void
    private let onFlush: @Sendable () -> Void
    private let onFinish: @Sendable () -> Void
    private let onFrame: @Sendable (VideoFrame) throws -> Void

    /// `pixelFormats`: most wanted first; empty for the decoder's own, untouched and uncopied.
    /// `appliesPreferredTrackTransform`: upright and with square pixels where the layer has no size.
    /// `lateFramePolicy`: what becomes of frames that come due while the closure has not returned.
    public init(
        pixelFormats: [PixelFormat] = [],
        appliesPreferredTrackTransform: Bool = false,
        lateFramePolicy: LateFramePolicy = .dropLate,
        onStart: @escaping @Sendable (VideoFormat) throws -> Void = { _ in },
        onFlush: @escaping @Sendable () -> Void = {},
        onFinish: @escaping @Sendable () -> Void = {},
        onFrame: @escaping @Sendable (VideoFrame) throws -> Void
    ) {
        acceptedPixelFormats = pixelFormats
        self.appliesPreferredTrackTransform = appliesPreferredTrackTransform
        self.lateFramePolicy = lateFramePolicy
        self.onStart = onStart
        self.onFlush = onFlush
        self.onFinish = onFinish
        self.onFrame = onFrame
    }

    public func start(_ format: VideoFormat) throws { try onStart(format) }
    public func present(_ frame: VideoFrame) throws { try onFrame(frame) }
    public func flush() { onFlush() }
    public func finish() { onFinish() }
}
