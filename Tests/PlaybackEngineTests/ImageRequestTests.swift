import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import PlaybackEngine

/// A converter that changes the format of a frame only.
private final class LabelConverter: VideoConverter {
    func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat,
        size: PixelSize
    ) throws(MediaError) -> VideoFrame {
        var result = frame
        result.format.pixelFormat = pixelFormat
        result.format.size = size
        return result
    }
}

@Suite("Requests for still images")
struct ImageRequestTests {
    private func frame(_ pixelFormat: PixelFormat) -> VideoFrame {
        VideoFrame.still(
            VideoFormat(pixelFormat: pixelFormat, size: PixelSize(width: 4, height: 4)),
            PackedFrameStorage([UInt8](repeating: 0, count: 16), rowCount: 4)
        )
    }

    private static let formats: [(PixelFormat, [PixelFormat], PixelFormat)] = [
        (.yuv444p, [.yuv420p, .yuv444p], .yuv444p), (.gray, [.rgb24, .rgba, .gray], .gray),
        (.nv12, [.yuv420p, .yuv444p], .yuv420p), (.bgra, [.rgb24, .rgba, .gray], .rgba),
        (.yuv444p, [.yuv420p], .yuv420p), (.yuv444p, [], .yuv444p),
    ]

    @Test("As in a layer, a frame in an accepted pixel format keeps it", arguments: formats)
    func acceptedFormats(_ own: PixelFormat, _ accepted: [PixelFormat], _ expected: PixelFormat) throws {
        let target = PixelSize(width: 8, height: 8)
        for (size, isUpright) in [(nil, false), (nil, true), (target, true)] as [(PixelSize?, Bool)] {
            let request = ImageRequest(
                time: .zero,
                targetSize: size,
                gravity: .resize,
                pixelFormats: accepted,
                isUpright: isUpright,
                generation: 0
            )
            let shaped = try request.shape(frame(own), with: LabelConverter())
            #expect(shaped.pixelFormat == expected && shaped.size == size ?? PixelSize(width: 4, height: 4))
        }
    }
}
