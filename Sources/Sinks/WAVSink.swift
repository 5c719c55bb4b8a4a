public import MediaCore

/// Writes audio as a WAV file of 16 bit integers at the rate and with the channels that come first; the
/// engine converts whatever comes later to these.
///
/// The sizes in the header are filled in at the end where the output can be written twice; else, and when
/// the host dies, they say "to the end". A file that would grow past the 4 GiB that the format can tell of
/// is refused further samples with `SinkError.tooLarge`, and is complete up to there; pipes have no limit.
public final class WAVSink: AudioSink, FileSink {
    private struct State: Sendable {
        var format: AudioFormat?
        var header: WAVHeader?
        var dataByteCount: Int64 = 0
    }

    private let writer: SinkWriter<State>

    /// "-" is standard output.
    public convenience init(path: String) throws(SinkError) {
        self.init(try ByteOutput(path: path))
    }

    /// Writes to an output that nobody else uses from now on.
    public convenience init(_ output: sending ByteOutput) {
        self.init(output, alreadyWritten: 0)
    }

    /// For tests of what happens near 4 GiB: counts as if so many bytes of samples had gone before.
    init(_ output: sending ByteOutput, alreadyWritten: Int64) {
        writer = SinkWriter(output, state: State(dataByteCount: alreadyWritten))
    }

    public var error: (any Error)? { writer.error }

    public func start(_ format: AudioFormat) throws -> AudioFormat {
        try writer.run { output, state in
            if let first = state.format { return first }
            let layout = format.channelLayout
            guard
                let header = WAVHeader(
                    sampleRate: format.sampleRate,
                    channelCount: layout.channelCount,
                    layoutName: layout.name
                )
            else {
                throw SinkError.unsupportedFormat(
                    "WAV cannot hold \(layout.channelCount) channels at \(format.sampleRate) Hz"
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

    public func write(_ buffer: AudioBuffer) throws {
        try writer.run { output, state in
            guard let format = state.format, let header = state.header else {
                throw SinkError.outOfOrder("samples came before their format")
            }
            guard buffer.format == format else {
                throw SinkError.unsupportedFormat("samples came in another format than was asked for")
            }
            try buffer.withPlanes { planes in
                guard let samples = planes.first else { return }
                let byteCount = state.dataByteCount + Int64(samples.count)
                if output.isRewritable, byteCount > header.maximumDataByteCount {
                    throw SinkError.tooLarge("\(output.path) is full: a WAV file holds 4 GiB at most")
                }
                try Self.write(samples, to: output)
                state.dataByteCount = byteCount
            }
        }
    }

    public func finish() {
        writer.finish { output, state in
            guard let header = state.header, output.isRewritable else { return }
            try output.rewrite(at: 0, header.bytes(dataByteCount: state.dataByteCount))
        }
    }

    /// A WAV file is little-endian, samples are in host order.
    private static func write(_ samples: UnsafeRawBufferPointer, to output: ByteOutput) throws {
        #if _endian(little)
            try output.write(samples)
        #else
            var swapped = Array(samples)
            for index in stride(from: 0, to: swapped.count - 1, by: 2) { swapped.swapAt(index, index + 1) }
            try output.write(swapped)
        #endif
    }
}
