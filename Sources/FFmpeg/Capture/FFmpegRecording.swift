internal import CFFmpeg
package import MediaCore

/// A device on its way into a file, picture by picture. Nothing here waits for the device. Not safe for threads.
package final class FFmpegRecording {
    private let input: CaptureInput
    private let fileExtension: String
    private let output: any RecordingOutput
    private var writer: MovieWriter?
    private var next: (frame: VideoFrame, ticks: Int64)?
    private var zero: Int64?
    /// Pictures that have been written.
    package private(set) var frameCount = 0

    /// File name extensions that stand for a container.
    package static let containers = MovieWriter.containers

    /// Opens the device. `output` gets nothing until the first picture is there. `fileExtension`: one of `containers`.
    package init(_ source: CaptureSource, fileExtension: String, output: any RecordingOutput)
        throws(MediaError)
    {
        guard Self.containers.contains(fileExtension) else {
            throw MediaError(
                .invalidArgument,
                "recordings are written as \(Self.containers.joined(separator: ", ")), not as .\(fileExtension)"
            )
        }
        self.fileExtension = fileExtension
        self.output = output
        input = try CaptureInput(source)
    }

    /// The device has no more to give.
    package var isAtEnd: Bool { next == nil && input.isAtEnd }

    /// When the next picture was taken, from the first one on; nil: there is none yet, or none any more.
    package func nextTime() throws(MediaError) -> MediaTime? {
        if next == nil { next = try input.read() }
        guard let next else { return nil }
        let start = zero ?? next.ticks
        zero = start
        let ticks = max(0, next.ticks - start)
        return MediaTime(value: ticks * Int64(input.timeBase.num), timescale: input.timeBase.den)
    }

    /// Encodes the picture that `nextTime` told of.
    package func write() throws(MediaError) {
        guard let next else { return }
        self.next = nil
        let writer = try makeWriterIfNeeded(next.frame.format)
        if try writer.write(next.frame, ticks: max(0, next.ticks - (zero ?? next.ticks))) { frameCount += 1 }
    }

    private func makeWriterIfNeeded(_ format: VideoFormat) throws(MediaError) -> MovieWriter {
        if let writer { return writer }
        let made = try MovieWriter(
            fileExtension,
            format,
            timeBase: input.timeBase,
            frameRate: input.frameRate,
            output: output
        )
        writer = made
        return made
    }

    /// Makes the file whole. Throws where no picture has come.
    package func finish() throws(MediaError) {
        guard let writer else { throw MediaError(.emptyMedia, "no picture came") }
        try writer.finish()
    }
}
