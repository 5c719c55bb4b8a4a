internal import FFmpeg
public import MediaCore

/// A sink that writes the MD5 hash of each frame, in the format of FFmpeg's framemd5 muxer (version 2).
///
/// Each line contains the stream, decode and presentation time, duration, size and hash of the packed samples. All
/// lines without a "#" are comparable with the output of `ffmpeg -noautorotate -i F -map 0:v:0 -fps_mode passthrough
/// -copyts -f framemd5 -`.
public final class FrameMD5Sink: VideoSink, FileSink {
    private struct State: Sendable {
        /// The clock for timestamps; nil until the header is written.
        var clock: FrameRateClock?
    }

    private let writer: SinkWriter<State>

    /// Creates a sink that writes to a file.
    ///
    /// - Parameter path: The path of the file; "-" is standard output.
    /// - Throws: `PlaybackError` if the file cannot be opened; see `ByteOutput`.
    public convenience init(path: String) throws(PlaybackError) {
        self.init(try ByteOutput(path: path))
    }

    /// Creates a sink that writes to an output.
    ///
    /// - Parameter output: The output, which no other code may use afterwards.
    public init(_ output: sending ByteOutput) {
        writer = SinkWriter(output, state: State())
    }

    public var error: PlaybackError? { writer.error }
    public var lateFramePolicy: LateFramePolicy { .holdBack }

    /// Writes the header for the first format. Later formats differ in the sizes of their frames only.
    ///
    /// - Throws: `PlaybackError` if the output cannot be written.
    public func start(_ format: VideoFormat) throws(PlaybackError) {
        try writer.run { output, state throws(PlaybackError) in
            guard state.clock == nil else { return }
            let clock = FrameRateClock(frameRate: format.nominalFrameRate)
            try output.write(header(format, clock))
            state.clock = clock
        }
    }

    /// Writes the line of a frame.
    ///
    /// - Throws: `PlaybackError` if the output cannot be written or memory is exhausted.
    public func present(_ frame: VideoFrame) throws(PlaybackError) {
        try writer.run { output, state throws(PlaybackError) in
            guard let time = state.clock?.ticks(of: frame) else {
                throw output.error(.operationNotAllowed, "\(output.path): a frame was presented before start")
            }
            let size = frame.withPlanes { $0.packedByteCount }
            let hash = FrameDigest.digest(of: frame)
            guard !hash.isEmpty else {
                throw output.error(
                    .resourceLimit,
                    "\(output.path): out of memory for the MD5 hash of a frame"
                )
            }
            // Raw frames are not reordered, and each has the duration of one frame.
            let ticks = padded("\(time)", to: 10)
            let numbers = "\(ticks), \(ticks), \(padded("1", to: 8)), \(padded("\(size)", to: 8))"
            try output.write("0, \(numbers), \(hash)\n")
        }
    }

    public func finish() { writer.finish() }

    public func synchronize() { writer.synchronize() }

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

    /// Returns the text padded with spaces on the left, as printf's "%8s".
    private func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}
