import CFFmpeg
import MediaCore
import Playhead
import TestSupport
import Testing

@testable import FFmpeg

/// A file in memory.
private final class MemoryOutput: RecordingOutput {
    private(set) var bytes: [UInt8] = []
    let isRewritable: Bool

    init(isRewritable: Bool) { self.isRewritable = isRewritable }

    func write(_ bytes: UnsafeRawBufferPointer) { self.bytes += bytes }
    func rewrite(at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(MediaError) {
        guard isRewritable else { throw MediaError(.sinkFailed, "not rewritable") }
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
        frameRate: Int32 = 25,
        container: String = "mkv",
        isRewritable: Bool = true
    ) async throws -> VideoFrame? {
        let size = PixelSize(width: 32, height: 720)
        let owner = try FrameOwner(size: size, format: format)
        let frame = VideoFrame.still(
            VideoFormat(pixelFormat: ColorNames.pixelFormat(format), size: size, color: color),
            FFmpegVideoStorage(owner)
        )
        let output = MemoryOutput(isRewritable: isRewritable)
        let writer = try MovieWriter(
            container,
            frame.format,
            timeBase: AVRational(num: 1, den: 25),
            frameRate: AVRational(num: frameRate, den: 1),
            output: output
        )
        #expect(try writer.write(frame, ticks: 0))
        try writer.finish()
        let source = DataByteSource(output.bytes, name: "a.\(container)")
        for try await frame in Asset(source).frames() { return frame }
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

    @Test("mkv and webm are written as a stream if nothing can be overwritten", arguments: ["mkv", "webm"])
    func stream(container: String) async throws {
        let frame = try await recorded(
            AV_PIX_FMT_YUV420P,
            ColorDescription(),
            container: container,
            isRewritable: false
        )
        #expect(frame != nil)
    }

    @Test("A frame rate that no device has is recorded", arguments: [1 << 30, .max] as [Int32])
    func frameRate(_ rate: Int32) async throws {
        let frame = try await recorded(AV_PIX_FMT_YUV420P, ColorDescription(), frameRate: rate)
        #expect(frame != nil)
    }
}
