public import MediaCore

/// Writes YUV4MPEG2: one header line, then each frame after a line "FRAME". Read by mpv, ffmpeg and every
/// encoder. Frames come one after the other at the nominal rate: their own times are not kept.
///
/// One stream has one size and one layout. A change of rate, colour or rotation, which a reader could not be
/// told either, is written on; any other is refused.
public final class Y4MSink: VideoSink, FileSink {
    private struct State: Sendable {
        /// What the header said, once it is written.
        var format: VideoFormat?
        var byteCount = 0
    }

    private let writer: SinkWriter<State>
    public let acceptedPixelFormats: [PixelFormat]

    /// "-" is standard output.
    public convenience init(path: String, pixelFormat: PixelFormat? = nil) throws(SinkError) {
        self.init(try ByteOutput(path: path), pixelFormat: pixelFormat)
    }

    /// Writes to an output that nobody else uses from now on. `pixelFormat`: what frames are converted to, one of
    /// `writablePixelFormats`; nil: they stay as they are where y4m can hold them.
    public init(_ output: sending ByteOutput, pixelFormat: PixelFormat? = nil) {
        writer = SinkWriter(output, state: State())
        acceptedPixelFormats = pixelFormat.map { [$0] } ?? Y4MLayout.pixelFormats
    }

    /// What y4m can hold.
    public static var writablePixelFormats: [PixelFormat] { Y4MLayout.pixelFormats }

    public var error: (any Error)? { writer.error }
    public var lateFramePolicy: LateFramePolicy { .holdBack }

    public func start(_ format: VideoFormat) throws {
        try writer.run { output, state in
            guard let layout = Y4MLayout(format.pixelFormat) else {
                throw SinkError.unsupportedFormat("y4m cannot hold \(format.pixelFormat) pictures")
            }
            if let first = state.format {
                try Self.requireSameLayout(first, format)
                return
            }
            guard let byteCount = layout.byteCount(of: format.size) else {
                throw SinkError.unsupportedFormat("y4m cannot hold pictures of \(format.size) pixels")
            }
            try output.write(Self.header(format, layout))
            state = State(format: format, byteCount: byteCount)
        }
    }

    public func present(_ frame: VideoFrame) throws {
        try writer.run { output, state in
            guard let first = state.format else {
                throw SinkError.outOfOrder("a picture came before its format")
            }
            try Self.requireSameLayout(first, frame.format)
            try frame.withPlanes { planes in
                guard planes.packedByteCount == state.byteCount else {
                    throw SinkError.unsupportedFormat(
                        "a \(frame.pixelFormat) picture of \(frame.size) pixels has "
                            + "\(planes.packedByteCount) bytes instead of \(state.byteCount)"
                    )
                }
                try output.write("FRAME\n")
                try output.write(planes)
            }
        }
    }

    public func finish() { writer.finish() }

    private static func header(_ format: VideoFormat, _ layout: Y4MLayout) -> String {
        let rate = format.nominalFrameRate.flatMap { $0.isPositive ? $0 : nil } ?? Rational(25, 1)
        // 0:0 is y4m's "not known".
        let aspect = format.pixelAspectRatio.isPositive ? format.pixelAspectRatio : Rational(0, 0)
        return "YUV4MPEG2 W\(format.size.width) H\(format.size.height) "
            + "F\(rate.numerator):\(rate.denominator) Ip A\(aspect.numerator):\(aspect.denominator) "
            + "\(layout.tags(color: format.color))\n"
    }

    private static func requireSameLayout(_ first: VideoFormat, _ next: VideoFormat) throws {
        let isSame =
            first.size == next.size && first.pixelAspectRatio == next.pixelAspectRatio
            && Y4MLayout(first.pixelFormat)?.isStoredAs == Y4MLayout(next.pixelFormat)?.isStoredAs
        guard !isSame else { return }
        throw SinkError.unsupportedFormat(
            "y4m cannot change its format in mid-stream, from \(summary(first)) to \(summary(next)); "
                + "give the layer a size, or write to a file of its own"
        )
    }

    private static func summary(_ format: VideoFormat) -> String {
        "\(format.size) \(format.pixelFormat) with pixels of \(format.pixelAspectRatio)"
    }
}
