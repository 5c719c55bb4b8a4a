import CFFmpeg
import MediaCore
import Playhead
import Testing

@testable import FFmpeg

/// A file in memory.
private final class MemoryOutput: RecordingOutput {
    private(set) var bytes: [UInt8] = []

    func write(_ bytes: UnsafeRawBufferPointer) { self.bytes += bytes }
    func rewrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) {
        self.bytes.replaceSubrange(Int(offset)..<Int(offset) + bytes.count, with: bytes)
    }
}

// Rule: recording
@Suite("Files of a recording")
struct MovieWriterTests {
    /// Returns the first frame of a file that was made of one frame.
    private func recorded(
        _ format: AVPixelFormat,
        _ color: ColorDescription,
        frameRate: Int32 = 25
    ) async throws -> VideoFrame? {
        let size = PixelSize(width: 32, height: 720)
        let owner = try FrameOwner(size: size, format: format)
        let frame = VideoFrame(
            format: VideoFormat(pixelFormat: ColorNames.pixelFormat(format), size: size, color: color),
            presentationTime: .zero,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: 0, timeBase: Rational(1, 25)),
            storage: FFmpegVideoStorage(owner)
        )
        let output = MemoryOutput()
        let writer = try MovieWriter(
            "mkv",
            frame.format,
            timeBase: AVRational(num: 1, den: 25),
            frameRate: AVRational(num: frameRate, den: 1),
            output: output
        )
        #expect(try writer.write(frame, ticks: 0))
        try writer.finish()
        for try await frame in Asset(DataByteSource(output.bytes, name: "a.mkv")).frames() { return frame }
        return nil
    }

    @Test("A recording declares the colors of the frames that the camera sends")
    func colors() async throws {
        let jpeg = ColorDescription(matrix: "bt470bg", isFullRange: true)
        let camera = try #require(try await recorded(AV_PIX_FMT_YUVJ422P, jpeg))
        #expect(camera.format.color.matrix == "bt470bg")
        #expect(camera.format.color.isFullRange == true)
        let screen = try #require(try await recorded(AV_PIX_FMT_RGB24, ColorDescription(isFullRange: true)))
        #expect(screen.format.color.isFullRange != true)
    }

    @Test("A frame rate that no device has is recorded", arguments: [1 << 30, .max] as [Int32])
    func frameRate(_ rate: Int32) async throws {
        let frame = try await recorded(AV_PIX_FMT_YUV420P, ColorDescription(), frameRate: rate)
        #expect(frame != nil)
    }
}
