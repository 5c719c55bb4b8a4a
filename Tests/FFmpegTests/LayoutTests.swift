import CFFmpeg
import MediaCore
import PlayheadBackend
import Testing

@testable import FFmpeg

// Rule: geometry
/// The layout of frames in targets of another shape: bars, formats and errors.
struct LayoutTests {
    private func makeFrame(
        _ name: String,
        _ size: PixelSize = PixelSize(width: 64, height: 32),
        isFullRange: Bool? = false
    ) throws -> VideoFrame {
        let owner = try FrameOwner(size: size, format: av_get_pix_fmt(name))
        var value: UInt8 = 0
        for plane in PlaneLayout.planes(owner.pointer.pointee) {
            for row in 0..<plane.rowCount {
                let bytes = UnsafeMutableRawPointer(mutating: plane.baseAddress) + row * plane.bytesPerRow
                for column in 0..<plane.bytesUsedPerRow {
                    value &+= 7
                    bytes.storeBytes(of: value & 3, toByteOffset: column, as: UInt8.self)
                }
            }
        }
        return VideoFrame(
            format: VideoFormat(
                pixelFormat: PixelFormat(rawValue: name),
                size: size,
                color: ColorDescription(matrix: "bt709", isFullRange: isFullRange)
            ),
            presentationTime: MediaTime(value: 7, timescale: 3),
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: 7, timeBase: Rational(1, 3)),
            storage: FFmpegVideoStorage(owner)
        )
    }

    private func layOut(
        _ frame: VideoFrame,
        _ target: PixelSize,
        to format: PixelFormat? = nil,
        _ gravity: VideoGravity = .resizeAspect,
        background: Color = .clear,
        with converter: FFmpegVideoConverter = FFmpegVideoConverter()
    ) throws -> VideoFrame {
        let geometry = VideoGeometry(frame.format.shape, gravity: gravity, target: target)
        return try converter.convert(frame, to: format, geometry: geometry, background: background)
    }

    /// Returns the distinct samples of each plane that lie completely within the bars.
    private func bars(_ frame: VideoFrame, around rect: PixelRect) throws -> [Set<[UInt8]>] {
        let grid = try #require(SampleGrid(av_get_pix_fmt(frame.pixelFormat.rawValue)))
        return frame.withPlanes { planes in
            zip(planes, grid.planes).map { plane, layout in
                var found: Set<[UInt8]> = []
                for row in 0..<plane.rowCount {
                    for column in 0..<(plane.bytesUsedPerRow / layout.sampleSize) {
                        let (left, top) = (column << layout.shiftX, row << layout.shiftY)
                        let (right, bottom) = ((column + 1) << layout.shiftX, (row + 1) << layout.shiftY)
                        let isBar =
                            right <= rect.x || left >= rect.x + rect.width
                            || bottom <= rect.y || top >= rect.y + rect.height
                        guard isBar else { continue }
                        let start = plane.baseAddress + row * plane.bytesPerRow + column * layout.sampleSize
                        found.insert(Array(UnsafeRawBufferPointer(start: start, count: layout.sampleSize)))
                    }
                }
                return found
            }
        }
    }

    private struct Row {
        var format: String
        var color: Color
        var isFull: Bool? = false
        var samples: [[UInt8]]
    }

    private static let half = Color(red: 1, green: 0.5, blue: 0, alpha: 0.5)

    private static let rows = [
        Row(format: "yuv420p", color: .clear, samples: [[16], [128], [128]]),
        Row(format: "yuv420p", color: .black, samples: [[16], [128], [128]]),
        Row(format: "yuv420p", color: .white, samples: [[235], [128], [128]]),
        Row(format: "yuv420p", color: .clear, isFull: true, samples: [[0], [128], [128]]),
        Row(format: "yuvj420p", color: .white, isFull: nil, samples: [[255], [128], [128]]),
        Row(format: "yuv444p", color: .clear, samples: [[16], [128], [128]]),
        Row(format: "yuv420p10le", color: .clear, samples: [[64, 0], [0, 2], [0, 2]]),
        Row(format: "yuv420p10le", color: .white, samples: [[172, 3], [0, 2], [0, 2]]),
        Row(format: "p010le", color: .clear, samples: [[0, 16], [0, 128, 0, 128]]),
        Row(format: "nv12", color: .clear, samples: [[16], [128, 128]]),
        Row(format: "yuva420p", color: .clear, samples: [[16], [128], [128], [0]]),
        Row(format: "yuva420p", color: .white, samples: [[235], [128], [128], [255]]),
        Row(format: "gray", color: .clear, isFull: true, samples: [[0]]),
        Row(format: "rgba", color: .clear, samples: [[0, 0, 0, 0]]),
        Row(format: "bgra", color: half, samples: [[0, 128, 255, 128]]),
        Row(format: "rgb24", color: half, samples: [[128, 64, 0]]),
        Row(format: "rgba64le", color: .white, samples: [[UInt8](repeating: 255, count: 8)]),
        Row(format: "gbrp", color: .clear, samples: [[0], [0], [0]]),
        Row(format: "rgb24", color: Color(red: .nan, green: -3, blue: 7), samples: [[0, 0, 255]]),
    ]

    @Test(
        "Bars have the requested color in every sample; clear is transparent or black",
        arguments: rows.indices
    )
    func colors(_ index: Int) throws {
        let row = Self.rows[index]
        let frame = try makeFrame(row.format, isFullRange: row.isFull)
        for target in [PixelSize(width: 64, height: 64), PixelSize(width: 131, height: 35)] {
            let result = try layOut(frame, target, background: row.color)
            #expect(result.pixelFormat.rawValue == row.format && result.size == target)
            let rect = VideoGeometry(frame.format.shape, gravity: .resizeAspect, target: target).destination
            let found = try bars(result, around: rect)
            #expect(found == row.samples.map { [$0] }, "\(row.format) in \(target)")
        }
    }

    @Test("A converter uses a new color for the next frame")
    func repainted() throws {
        let converter = FFmpegVideoConverter()
        let frame = try makeFrame("gray", isFullRange: true)
        let target = PixelSize(width: 32, height: 64)
        for (color, value) in [(Color.white, UInt8(255)), (.black, 0), (.white, 255)] {
            let result = try layOut(frame, target, background: color, with: converter)
            #expect(packedBytes(of: result).first == value)
        }
    }

    @Test(
        "Every format that libswscale reads can be laid out, rotated and cropped, in itself or a larger one"
    )
    func everyFormat() throws {
        var count = 0
        var format = av_pix_fmt_desc_next(nil)
        while let descriptor = format {
            defer { format = av_pix_fmt_desc_next(descriptor) }
            let id = av_pix_fmt_desc_get_id(descriptor)
            let name = String(cString: descriptor.pointee.name)
            guard sws_isSupportedInput(id) != 0, !name.hasPrefix("bayer") else { continue }
            count += 1
            var frame = try makeFrame(name)
            for rotation in [MediaCore.Rotation.none, .clockwise90, .half] {
                frame.format.rotation = rotation
                for gravity in [VideoGravity.resizeAspect, .resizeAspectFill] {
                    let target = PixelSize(width: 45, height: 31)
                    let result = try layOut(frame, target, gravity)
                    #expect(result.format.shape == VideoShape(size: target), "\(name)")
                    #expect(packedBytes(of: result).count > 0)
                    let wanted = try layOut(frame, target, to: .rgba, gravity)
                    #expect(wanted.pixelFormat == .rgba)
                    #expect(packedBytes(of: wanted).count == 45 * 31 * 4)
                }
            }
        }
        #expect(count > 100)
    }

    @Test(
        "The requested format is produced, even if it cannot be laid out sample by sample",
        arguments: ["yuv422p", "yuyv422", "yuv411p", "monob", "rgb565le"]
    )
    func wanted(_ name: String) throws {
        var frame = try makeFrame("yuv420p")
        frame.format.rotation = .clockwise90
        let target = PixelSize(width: 40, height: 40)
        let result = try layOut(frame, target, to: PixelFormat(rawValue: name))
        #expect(result.pixelFormat.rawValue == name && result.size == target)
    }

    @Test("A frame that matches the target is returned unchanged, with its format corrected")
    func untouched() throws {
        var frame = try makeFrame("yuv420p")
        frame.format.pixelAspectRatio = Rational(4, 3)
        let same = try layOut(frame, frame.size, .resize)
        #expect(same.storage === frame.storage)
        #expect(same.format.pixelAspectRatio == Rational(1, 1))
        #expect(same.presentationTime == frame.presentationTime && same.sourceTime == frame.sourceTime)
        let other = try layOut(frame, frame.size, to: .rgb24, .resize)
        #expect(other.pixelFormat == .rgb24 && other.format.pixelAspectRatio == Rational(1, 1))
    }

    @Test("Single pixels, and sides that differ by a factor of a thousand, are laid out")
    func extremes() throws {
        let converter = FFmpegVideoConverter()
        for (width, height) in [(1, 1), (1, 2), (3, 1), (2000, 2), (2, 2000)] {
            for name in ["yuv420p", "yuv444p", "rgba"] {
                let frame = try makeFrame(name, PixelSize(width: width, height: height))
                for target in [(1, 1), (2, 1), (1, 3), (1000, 4), (5, 1000)] {
                    for gravity in [VideoGravity.resizeAspect, .resizeAspectFill, .resize] {
                        let size = PixelSize(width: target.0, height: target.1)
                        let result = try layOut(frame, size, gravity, with: converter)
                        #expect(result.size == size)
                    }
                }
            }
        }
    }

    @Test("Excessive sizes, and the geometry of another frame, throw an error")
    func refused() throws {
        let frame = try makeFrame("yuv420p")
        for size in [PixelSize(width: 1 << 40, height: 1 << 40), PixelSize(width: 0, height: 5)] {
            let error = #expect(throws: MediaError.self) { try layOut(frame, size) }
            #expect(error?.code == .conversionFailed)
        }
        let large = VideoShape(size: PixelSize(width: 1000, height: 1000))
        let geometry = VideoGeometry(large, gravity: .resizeAspect, target: PixelSize(width: 10, height: 20))
        #expect(throws: MediaError.self) {
            try FFmpegVideoConverter().convert(frame, to: nil, geometry: geometry, background: .clear)
        }
    }
}

extension LayoutTests {
    /// A converter that cannot lay out frames and uses the protocol's default implementation.
    private final class PlainConverter: VideoConverter {
        func convert(_ frame: VideoFrame, to pixelFormat: PixelFormat, size: PixelSize) throws(MediaError)
            -> VideoFrame
        {
            try FFmpegVideoConverter().convert(frame, to: pixelFormat, size: size)
        }
    }

    @Test("A converter that can only scale works without cropping and bars, and throws an error otherwise")
    func otherConverters() throws {
        let frame = try makeFrame("yuv420p")
        let shape = frame.format.shape
        let half = PixelSize(width: 32, height: 16)
        let fitting = VideoGeometry(shape, gravity: .resizeAspect, target: half)
        let scaled = try PlainConverter().convert(frame, to: nil, geometry: fitting, background: .clear)
        #expect(scaled.format.shape == VideoShape(size: half))
        for gravity in [VideoGravity.resizeAspect, .resizeAspectFill] {
            let square = PixelSize(width: 32, height: 32)
            let geometry = VideoGeometry(shape, gravity: gravity, target: square)
            let error = #expect(throws: MediaError.self) {
                try PlainConverter().convert(frame, to: nil, geometry: geometry, background: .clear)
            }
            #expect(error?.code == .conversionFailed)
        }
    }
}
