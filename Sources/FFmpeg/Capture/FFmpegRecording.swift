internal import CFFmpeg
package import MediaCore

/// A recording of a capture device to a file, frame by frame. Calls never wait for the device. It is not thread-safe.
package final class FFmpegRecording {
    private let input: CaptureInput
    private let fileExtension: String
    private let output: any RecordingOutput
    private var writer: MovieWriter?
    private var next: (frame: VideoFrame, ticks: Int64)?
    private var zero: Int64?
    /// The number of frames that have been written.
    package private(set) var frameCount = 0

    /// The file name extensions of the supported containers.
    package static let containers = MovieWriter.containers

    /// Opens the device. Nothing is written to `output` before the first frame. `fileExtension` must be one of
    /// `containers`.
    package init(_ source: CaptureSource, fileExtension: String, output: any RecordingOutput)
        throws(MediaError)
    {
        guard Self.containers.contains(fileExtension) else {
            throw MediaError(
                .invalidArgument,
                "unsupported recording format .\(fileExtension): use \(Self.containers.joined(separator: ", "))"
            )
        }
        self.fileExtension = fileExtension
        self.output = output
        input = try CaptureInput(source)
    }

    /// Whether the device has reached the end of its data.
    package var isAtEnd: Bool { next == nil && input.isAtEnd }

    /// Returns the time of the next frame, relative to the first one, or nil if there is none at present or no more.
    package func nextTime() throws(MediaError) -> MediaTime? {
        if next == nil { next = try input.read() }
        guard let next else { return nil }
        let start = zero ?? next.ticks
        zero = start
        let ticks = max(0, next.ticks.subtractingClamped(start))
        return TimeMapping.time(ticks, timeBase: input.timeBase.rational)
    }

    /// Encodes the frame whose time `nextTime` has returned.
    package func write() throws(MediaError) {
        guard let next else { return }
        self.next = nil
        let writer = try makeWriterIfNeeded(next.frame.format)
        if try writer.write(next.frame, ticks: max(0, next.ticks.subtractingClamped(zero ?? next.ticks))) {
            frameCount += 1
        }
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

    /// Completes the file. Throws an error if no frame was recorded.
    package func finish() throws(MediaError) {
        guard let writer else { throw MediaError(.emptyMedia, "no frame was recorded") }
        try writer.finish()
    }
}
