internal import FFmpeg
public import MediaCore

/// Writes the samples of each frame, plane after plane without padding, and nothing else. What has no
/// header can change its format: the next frame is simply of another size.
public final class RawVideoSink: VideoSink, FileSink {
    private let writer: SinkWriter<Void>
    public let acceptedPixelFormats: [PixelFormat]

    /// "-" is standard output.
    public convenience init(path: String, pixelFormat: PixelFormat? = nil) throws(SinkError) {
        self.init(try ByteOutput(path: path), pixelFormat: pixelFormat)
    }

    /// Writes to an output that nobody else uses from now on. `pixelFormat`: what frames are converted to, one of
    /// `writablePixelFormats`; nil: they stay as the decoder made them.
    public init(_ output: sending ByteOutput, pixelFormat: PixelFormat? = nil) {
        writer = SinkWriter(output, state: ())
        acceptedPixelFormats = pixelFormat.map { [$0] } ?? []
    }

    /// What frames can be converted to.
    public static var writablePixelFormats: [PixelFormat] { FFmpegCapabilities.writablePixelFormats }

    public var error: (any Error)? { writer.error }
    public var lateFramePolicy: LateFramePolicy { .holdBack }

    public func start(_ format: VideoFormat) throws {}

    public func present(_ frame: VideoFrame) throws {
        try writer.run { output, _ in try frame.withPlanes { try output.write($0) } }
    }

    public func finish() { writer.finish() }
}
