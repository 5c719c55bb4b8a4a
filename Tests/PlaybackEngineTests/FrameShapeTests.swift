import MediaCore
import PlayheadBackend
import TestSupport
import Testing

@testable import PlaybackEngine

/// A converter that changes the format of a frame only, and cannot rotate a frame without converting it.
private final class LayoutConverter: VideoConverter {
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

    func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        var result = frame
        result.format = frame.format.laidOut(by: geometry)
        result.format.pixelFormat = pixelFormat ?? frame.pixelFormat
        return result
    }
}

@Suite("Shapes of frames that are read")
struct FrameShapeTests {
    @Test(
        "A frame is rotated and converted in one step, and keeps its size and pixel aspect ratio",
        arguments: [nil, "smpte2084"] as [String?],
        Rotation.allCases
    )
    func rotation(_ transfer: String?, _ rotation: Rotation) throws {
        let size = PixelSize(width: 8, height: 4)
        var format = VideoFormat(
            pixelFormat: .yuv420p,
            size: size,
            pixelAspectRatio: Rational(4, 3),
            color: ColorDescription(transfer: transfer)
        )
        format.rotation = rotation
        let frame = VideoFrame.still(
            format,
            PackedFrameStorage([UInt8](repeating: 0, count: 48), rowCount: 6)
        )
        let shape = FrameShape(pixelFormat: .rgb24)
        let result = try shape.apply(to: frame, with: LayoutConverter())
        #expect(result.pixelFormat == .rgb24)
        #expect(result.format.shape == format.shape.upright)
    }
}
