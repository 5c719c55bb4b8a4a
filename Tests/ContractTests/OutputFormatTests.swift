import FFmpeg
import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

@Suite(
    "Contract: pixel formats of frames requested from an output",
    .enabled(if: Fixture.areThere, "make fixtures")
)
struct OutputFormatTests {
    private func loaded(_ output: VideoOutput) -> (PlayerTestBench<Player>, PlayerItem) {
        let bench = PlayerTestBench.forFiles()
        return (bench, bench.load(Fixture.url("clip-h264-aac.mp4")) { $0.add(output) })
    }

    @Test("A frame has the requested pixel format, and the same pixels that a sink with that format gets")
    func converted() throws {
        let output = VideoOutput(pixelFormats: [.rgba, .bgra])
        let (bench, item) = loaded(output)
        let shown = Locked([String]())
        bench.layer.add(RGBASink { frame in shown.withLock { $0.append(FrameDigest.digest(of: frame)) } })
        bench.driver.settle()
        let copied = try #require(output.copyFrame(forItemTime: .zero))
        #expect(copied.frame.pixelFormat == .rgba && copied.displayTime == .zero)
        #expect([FrameDigest.digest(of: copied.frame)] == shown.withLock { $0 })
        #expect(!output.hasNewFrame(forItemTime: .zero))
        // A second request does not convert the frame again.
        let again = try #require(output.copyFrame(forItemTime: .zero))
        #expect(again.frame.storage === copied.frame.storage)
        item.seek(to: .ms(500), toleranceBefore: .zero, toleranceAfter: .zero)
        bench.driver.settle()
        let next = try #require(output.copyFrame(forItemTime: .ms(500)))
        #expect(FrameDigest.digest(of: next.frame) == shown.withLock { $0.last })
        #expect(next.frame.presentationTime == next.displayTime && next.displayTime > .zero)
        #expect(output.conversionError == nil)
    }

    @Test("A frame that already has a requested format is the decoder's own, without a copy")
    func own() throws {
        let output = VideoOutput(pixelFormats: [.rgba, .yuv420p])
        let (bench, _) = loaded(output)
        let shown = Locked([any VideoFrameStorage]())
        bench.layer.add(CallbackVideoSink { frame in shown.withLock { $0.append(frame.storage) } })
        bench.driver.settle()
        let frame = try #require(output.copyFrame(forItemTime: .zero)).frame
        #expect(frame.pixelFormat == .yuv420p)
        #expect(shown.withLock { $0.first } === frame.storage)
    }

    @Test("A sequence converts frames as well, and an unsupported format yields no frame and an error")
    func sequence() async throws {
        let output = VideoOutput(pixelFormats: [.bgra])
        let frames = output.frames
        let (bench, _) = loaded(output)
        let format = try await within("a frame") {
            for await frame in frames { return frame.pixelFormat }
            return PixelFormat(rawValue: "none")
        }
        #expect(format == .bgra)
        #expect(bench.videoSink.frames.count == 1)
        let impossible = VideoOutput(pixelFormats: [PixelFormat(rawValue: "no such format")])
        let (other, _) = loaded(impossible)
        #expect(impossible.hasNewFrame(forItemTime: .zero))
        #expect(impossible.copyFrame(forItemTime: .zero) == nil)
        #expect(impossible.conversionError != nil)
        #expect(other.videoSink.frames.count == 1)
    }
}

/// Accepts only RGBA.
private final class RGBASink: VideoSink {
    let acceptedPixelFormats = [PixelFormat.rgba]
    private let body: @Sendable (VideoFrame) -> Void
    init(_ body: @escaping @Sendable (VideoFrame) -> Void) { self.body = body }
    func start(_ format: VideoFormat) {}
    func present(_ frame: VideoFrame) { body(frame) }
    func finish() {}
}
