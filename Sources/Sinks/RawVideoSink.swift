internal import FFmpeg
public import MediaCore

/// A sink that writes the samples of each frame, plane after plane, without padding or headers. If the format
/// changes, the next frame simply has another size.
public final class RawVideoSink: VideoSink, FileSink {
    private let writer: SinkWriter<Void>
    public let acceptedPixelFormats: [PixelFormat]

    /// Creates a sink that writes to a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file; "-" is standard output.
    ///   - pixelFormat: The format that frames are converted to, one of `writablePixelFormats`; nil for the decoder's
    ///     own.
    /// - Throws: `PlaybackError` if the file cannot be opened; see `ByteOutput`.
    public convenience init(path: String, pixelFormat: PixelFormat? = nil) throws(PlaybackError) {
        self.init(try ByteOutput(path: path), pixelFormat: pixelFormat)
    }

    /// Creates a sink that writes to an output.
    ///
    /// - Parameters:
    ///   - output: The output, which no other code may use afterwards.
    ///   - pixelFormat: The format that frames are converted to, one of `writablePixelFormats`; nil for the decoder's
    ///     own.
    public init(_ output: sending ByteOutput, pixelFormat: PixelFormat? = nil) {
        writer = SinkWriter(output, state: ())
        acceptedPixelFormats = pixelFormat.map { [$0] } ?? []
    }

    /// The pixel formats that frames can be converted to.
    public static var writablePixelFormats: [PixelFormat] { FFmpegCapabilities.writablePixelFormats }

    public var error: PlaybackError? { writer.error }
    public var lateFramePolicy: LateFramePolicy { .holdBack }

    /// Does nothing: raw video has no header.
    ///
    /// - Throws: This implementation does not throw.
    public func start(_ format: VideoFormat) throws(PlaybackError) {}

    /// Writes the planes of a frame without padding.
    ///
    /// - Throws: `PlaybackError` if the output cannot be written.
    public func present(_ frame: VideoFrame) throws(PlaybackError) {
        try writer.run { output, _ throws(PlaybackError) in
            try frame.withPlanes { planes throws(PlaybackError) in try output.write(planes) }
        }
    }

    public func finish() { writer.finish() }

    public func synchronize() { writer.synchronize() }
}
