public import MediaCore

/// Writes the samples of each frame, plane after plane without padding, and nothing else. What has no
/// header can change its format: the next frame is simply of another size.
public final class RawVideoSink: VideoSink, FileSink {
    private let writer: SinkWriter<Void>

    /// "-" is standard output.
    public convenience init(path: String) throws(SinkError) {
        self.init(try ByteOutput(path: path))
    }

    /// Writes to an output that nobody else uses from now on.
    public init(_ output: sending ByteOutput) {
        writer = SinkWriter(output, state: ())
    }

    public var error: (any Error)? { writer.error }

    public func start(_ format: VideoFormat) throws {}

    public func present(_ frame: VideoFrame) throws {
        try writer.run { output, _ in try frame.withPlanes { try output.write($0) } }
    }

    public func finish() { writer.finish() }
}
