internal import FFmpeg
public import MediaCore

/// Writes one line per frame, as FFmpeg's framemd5 muxer (version 2) does: stream, decode and presentation
/// time, duration, size and MD5 of the packed samples. From the first line without a "#" on it can be
/// compared with `ffmpeg -noautorotate -i F -map 0:v:0 -fps_mode passthrough -copyts -f framemd5 -`.
public final class FrameMD5Sink: VideoSink, FileSink {
    private struct State: Sendable {
        /// nil until the header is written.
        var clock: FrameRateClock?
    }

    private let writer: SinkWriter<State>

    /// "-" is standard output.
    public convenience init(path: String) throws(SinkError) {
        self.init(try ByteOutput(path: path))
    }

    /// Writes to an output that nobody else uses from now on.
    public init(_ output: sending ByteOutput) {
        writer = SinkWriter(output, state: State())
    }

    public var error: (any Error)? { writer.error }
    public var lateFramePolicy: LateFramePolicy { .holdBack }

    /// The header is that of the first format; frames of a later one tell by their size.
    public func start(_ format: VideoFormat) throws {
        try writer.run { output, state in
            guard state.clock == nil else { return }
            let clock = FrameRateClock(frameRate: format.nominalFrameRate)
            try output.write(header(format, clock))
            state.clock = clock
        }
    }

    public func present(_ frame: VideoFrame) throws {
        try writer.run { output, state in
            guard let time = state.clock?.ticks(of: frame) else {
                throw SinkError.outOfOrder("a picture came before its format")
            }
            let size = frame.withPlanes { $0.packedByteCount }
            let hash = FrameDigest.digest(of: frame)
            guard !hash.isEmpty else {
                throw MediaError(.resourceLimit, "there is no memory for a checksum")
            }
            // Raw frames need no reordering, and last for one frame.
            let ticks = padded("\(time)", to: 10)
            let numbers = "\(ticks), \(ticks), \(padded("1", to: 8)), \(padded("\(size)", to: 8))"
            try output.write("0, \(numbers), \(hash)\n")
        }
    }

    public func finish() { writer.finish() }

    private func header(_ format: VideoFormat, _ clock: FrameRateClock) -> String {
        let aspect = format.pixelAspectRatio
        return """
            #format: frame checksums
            #version: 2
            #hash: MD5
            #software: Playhead
            #tb 0: \(clock.timeBase.numerator)/\(clock.timeBase.denominator)
            #media_type 0: video
            #codec_id 0: rawvideo
            #dimensions 0: \(format.size)
            #sar 0: \(aspect.numerator)/\(aspect.denominator)
            #stream#, dts,        pts, duration,     size, hash

            """
    }

    /// As printf's "%8s".
    private func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}
