public import MediaCore

/// A sink that writes a WAV file with 16-bit integer samples.
///
/// The sample rate and the channels are those of the first audio. The engine converts later audio to them.
///
/// The sizes in the header are written at the end, and by `synchronize()`, if the output is rewritable. Otherwise, and
/// if the process crashes, the header declares that the samples extend to the end of the file. A file that would exceed
/// 4 GiB, the limit of the format, is complete up to that point, and further samples are refused with
/// the code `.maximumFileSizeReached`. Pipes have no limit.
public final class WAVSink: AudioSink, FileSink {
    private struct State: Sendable {
        var format: AudioFormat?
        var header: WAVHeader?
        var dataByteCount: Int64 = 0
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
    public convenience init(_ output: sending ByteOutput) {
        self.init(output, alreadyWritten: 0)
    }

    /// Creates a sink that counts as if `alreadyWritten` bytes of samples had been written, for tests of the 4 GiB
    /// limit.
    init(_ output: sending ByteOutput, alreadyWritten: Int64) {
        writer = SinkWriter(output, state: State(dataByteCount: alreadyWritten))
    }

    public var error: PlaybackError? { writer.error }

    /// Writes the header and returns the format that the file holds.
    ///
    /// - Throws: `PlaybackError` if the output cannot be written.
    public func start(_ format: AudioFormat) throws(PlaybackError) -> AudioFormat {
        try writer.run { output, state throws(PlaybackError) in
            if let first = state.format { return first }
            let layout = format.channelLayout
            guard
                let header = WAVHeader(
                    sampleRate: format.sampleRate,
                    channelCount: layout.channelCount,
                    layoutName: layout.name
                )
            else {
                throw output.error(
                    .unsupportedFormat,
                    "\(output.path): WAV does not support \(layout.channelCount) channels at \(format.sampleRate) Hz"
                )
            }
            let accepted = AudioFormat(
                sampleRate: format.sampleRate,
                channelLayout: layout,
                sampleFormat: .s16
            )
            try output.write(header.bytes(dataByteCount: nil))
            state.format = accepted
            state.header = header
            return accepted
        }
    }

    /// Writes samples.
    ///
    /// - Throws: `PlaybackError` if the output cannot be written or the file would exceed 4 GiB.
    public func write(_ buffer: AudioBuffer) throws(PlaybackError) {
        try writer.run { output, state throws(PlaybackError) in
            guard let format = state.format, let header = state.header else {
                throw output.error(.operationNotAllowed, "\(output.path): samples were written before start")
            }
            guard buffer.format == format else {
                throw output.error(
                    .unsupportedFormat,
                    "\(output.path): the samples do not have the format that start returned"
                )
            }
            try buffer.withPlanes { planes throws(PlaybackError) in
                guard let samples = planes.first else { return }
                let byteCount = state.dataByteCount + Int64(samples.count)
                if output.isRewritable, byteCount > header.maximumDataByteCount {
                    throw output.error(
                        .maximumFileSizeReached,
                        "\(output.path): file size limit reached (4 GiB for WAV)"
                    )
                }
                try Self.write(samples, to: output)
                state.dataByteCount = byteCount
            }
        }
    }

    public func finish() { writer.finish(Self.writeSizes) }

    public func synchronize() { writer.synchronize(Self.writeSizes) }

    private static func writeSizes(_ output: ByteOutput, _ state: inout State) throws(PlaybackError) {
        guard let header = state.header, output.isRewritable else { return }
        try output.rewrite(at: 0, header.bytes(dataByteCount: state.dataByteCount))
    }

    /// Writes samples in host byte order as little-endian samples.
    private static func write(
        _ samples: UnsafeRawBufferPointer,
        to output: ByteOutput
    ) throws(PlaybackError) {
        #if _endian(little)
            try output.write(samples)
        #else
            var swapped = Array(samples)
            for index in stride(from: 0, to: swapped.count - 1, by: 2) { swapped.swapAt(index, index + 1) }
            try output.write(swapped)
        #endif
    }
}
