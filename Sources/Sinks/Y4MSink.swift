public import MediaCore

/// A sink that writes YUV4MPEG2: a header line, then each frame after a line "FRAME". mpv, ffmpeg and most encoders
/// read it.
///
/// Frames follow each other at the nominal rate, so their timestamps are lost. The header declares the field order of
/// the first frame.
///
/// A stream has one size and one pixel layout. If the frame rate, color or rotation changes, writing continues,
/// because the format cannot declare the change. Any other change throws the code `.unsupportedFormat`.
public final class Y4MSink: VideoSink, FileSink {
    private struct State: Sendable {
        /// The format of the stream, once it has started.
        var format: VideoFormat?
        var byteCount = 0
        var hasHeader = false
        var check = FrameRateCheck()
    }

    private let writer: SinkWriter<State>
    public let acceptedPixelFormats: [PixelFormat]
    private let onUnevenFrame: (@Sendable (Rational) -> Void)?

    /// Creates a sink that writes to a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file; "-" is standard output.
    ///   - pixelFormat: The format that frames are converted to, one of `writablePixelFormats`; nil keeps the
    ///     decoder's format if y4m supports it.
    /// - Throws: `PlaybackError` if the file cannot be opened; see `ByteOutput`.
    public convenience init(path: String, pixelFormat: PixelFormat? = nil) throws(PlaybackError) {
        self.init(try ByteOutput(path: path), pixelFormat: pixelFormat)
    }

    /// Creates a sink that writes to an output.
    ///
    /// - Parameters:
    ///   - output: The output, which no other code may use afterwards.
    ///   - pixelFormat: The format that frames are converted to, one of `writablePixelFormats`; nil keeps the
    ///     decoder's format if y4m supports it.
    public convenience init(_ output: sending ByteOutput, pixelFormat: PixelFormat? = nil) {
        self.init(output, pixelFormat: pixelFormat, onUnevenFrame: nil)
    }

    /// Creates a sink that reports the first frame whose time does not fit the declared frame rate.
    ///
    /// - Parameters:
    ///   - output: The output, which no other code may use afterwards.
    ///   - pixelFormat: The format that frames are converted to; see `init(_:pixelFormat:)`.
    ///   - onUnevenFrame: Receives the declared frame rate, at most once, on the thread that presents the frame. If nil,
    ///     the times are not examined.
    package init(
        _ output: sending ByteOutput,
        pixelFormat: PixelFormat?,
        onUnevenFrame: (@Sendable (Rational) -> Void)?
    ) {
        writer = SinkWriter(output, state: State())
        acceptedPixelFormats = pixelFormat.map { [$0] } ?? Y4MLayout.pixelFormats
        self.onUnevenFrame = onUnevenFrame
    }

    /// The pixel formats that y4m supports.
    public static var writablePixelFormats: [PixelFormat] { Y4MLayout.pixelFormats }

    public var error: PlaybackError? { writer.error }
    public var lateFramePolicy: LateFramePolicy { .holdBack }

    /// Begins the stream. Its header is written with the first frame, which has the field order.
    ///
    /// - Throws: `PlaybackError` if Y4M cannot hold the format.
    public func start(_ format: VideoFormat) throws(PlaybackError) {
        try writer.run { output, state throws(PlaybackError) in
            guard let layout = Y4MLayout(format.pixelFormat) else {
                throw output.error(
                    .unsupportedFormat,
                    "\(output.path): YUV4MPEG2 does not support the pixel format \(format.pixelFormat)"
                )
            }
            if let first = state.format {
                try Self.requireSameLayout(first, format, output)
                return
            }
            guard let byteCount = layout.byteCount(of: format.size) else {
                throw output.error(
                    .unsupportedFormat,
                    "\(output.path): YUV4MPEG2 does not support frames of \(format.size) pixels"
                )
            }
            state = State(format: format, byteCount: byteCount)
        }
    }

    /// Writes a frame.
    ///
    /// - Throws: `PlaybackError` if the output cannot be written or the format differs from the header.
    public func present(_ frame: VideoFrame) throws(PlaybackError) {
        try writer.run { output, state throws(PlaybackError) in
            guard let first = state.format else {
                throw output.error(.operationNotAllowed, "\(output.path): a frame was presented before start")
            }
            try Self.requireSameLayout(first, frame.format, output)
            try frame.withPlanes { planes throws(PlaybackError) in
                guard planes.packedByteCount == state.byteCount else {
                    throw output.error(
                        .unsupportedFormat,
                        "\(output.path): a \(frame.pixelFormat) frame of \(frame.size) pixels has "
                            + "\(planes.packedByteCount) bytes instead of \(state.byteCount)"
                    )
                }
                try Self.writeHeader(interlacing(of: frame), to: output, &state)
                try output.write("FRAME\n")
                try output.write(planes)
            }
            guard let onUnevenFrame else { return }
            let rate = Self.frameRate(of: first)
            if state.check.isFirstUneven(frame, at: rate) { onUnevenFrame(rate) }
        }
    }

    /// Completes the file. A stream without a frame has only a header.
    public func finish() {
        writer.finish { output, state throws(PlaybackError) in
            try Self.writeHeader("p", to: output, &state)
        }
    }

    public func synchronize() { writer.synchronize() }

    /// Returns the value of the I tag: progressive, top field first or bottom field first.
    private func interlacing(of frame: VideoFrame) -> String {
        frame.isInterlaced ? frame.isTopFieldFirst ? "t" : "b" : "p"
    }

    /// Writes the header, unless it has been written or the stream has not started.
    private static func writeHeader(
        _ interlacing: String,
        to output: ByteOutput,
        _ state: inout State
    ) throws(PlaybackError) {
        guard !state.hasHeader, let format = state.format, let layout = Y4MLayout(format.pixelFormat) else {
            return
        }
        state.hasHeader = true
        try output.write(header(format, layout, interlacing))
    }

    /// Returns the frame rate that the header declares.
    private static func frameRate(of format: VideoFormat) -> Rational {
        format.nominalFrameRate.flatMap { $0.isPositive ? $0 : nil } ?? Rational(25, 1)
    }

    private static func header(_ format: VideoFormat, _ layout: Y4MLayout, _ interlacing: String) -> String {
        let rate = frameRate(of: format)
        // 0:0 means "unknown" in y4m.
        let aspect = format.pixelAspectRatio.isPositive ? format.pixelAspectRatio : Rational(0, 0)
        return "YUV4MPEG2 W\(format.size.width) H\(format.size.height) "
            + "F\(rate.numerator):\(rate.denominator) I\(interlacing) "
            + "A\(aspect.numerator):\(aspect.denominator) \(layout.tags(color: format.color))\n"
    }

    private static func requireSameLayout(
        _ first: VideoFormat,
        _ next: VideoFormat,
        _ output: ByteOutput
    ) throws(PlaybackError) {
        let isSame =
            first.size == next.size && first.pixelAspectRatio == next.pixelAspectRatio
            && Y4MLayout(first.pixelFormat)?.isStoredAs == Y4MLayout(next.pixelFormat)?.isStoredAs
        guard !isSame else { return }
        throw output.error(
            .unsupportedFormat,
            "\(output.path): YUV4MPEG2 does not support a change of format in mid-stream, from \(summary(first)) "
                + "to \(summary(next)); set the size of the layer, or write to a separate file"
        )
    }

    private static func summary(_ format: VideoFormat) -> String {
        "\(format.size) \(format.pixelFormat) with a pixel aspect ratio of \(format.pixelAspectRatio)"
    }
}
