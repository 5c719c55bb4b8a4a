import FFmpeg
import Foundation
import MediaCore
import PlayheadBackend
import TestSupport
import Testing

/// Draws bitmaps, whose result is known exactly, into frames of one color.
@Suite("Bitmap subtitles in frames")
struct SubtitleBlendTests {
    /// A 4x4 frame, the planes of which are filled with samples of `units` bytes.
    private func frame(
        _ format: PixelFormat,
        _ bytes: [UInt8],
        size: PixelSize = PixelSize(width: 4, height: 4),
        color: ColorDescription = ColorDescription()
    ) throws -> VideoFrame {
        VideoFrame(
            format: VideoFormat(pixelFormat: format, size: size, color: color),
            presentationTime: .zero,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 1)),
            storage: try PackedFrames.storage(bytes, format, size)
        )
    }

    private func cue(_ parts: [SubtitleBitmap.Part], canvas: PixelSize? = nil) -> TextCue {
        var cue = TextCue(text: "", timeRange: MediaTimeRange(start: .zero, duration: .indefinite), track: 2)
        cue.drawing = .bitmap(SubtitleBitmap(canvas: canvas, parts: parts))
        return cue
    }

    /// Returns the bytes of all rows of all planes.
    private func bytes(_ frame: VideoFrame) -> [UInt8] {
        frame.withPlanes { planes in
            planes.flatMap { plane in
                (0..<plane.rowCount).flatMap { row in
                    UnsafeRawBufferPointer(
                        start: plane.baseAddress + row * plane.bytesPerRow,
                        count: plane.bytesUsedPerRow
                    )
                }
            }
        }
    }

    private func draw(_ cue: TextCue, on frame: VideoFrame, in target: PixelSize? = nil) throws -> [UInt8] {
        let renderer = FFmpegSubtitleRenderer { .failure(MediaError(.unknown, "not used")) }
        let shape = target.map { VideoShape(size: $0) } ?? frame.format.shape
        let geometry = VideoGeometry(shape, gravity: .resizeAspect, target: frame.size)
        return bytes(try renderer.draw([cue], at: .zero, on: frame, geometry: geometry))
    }

    /// The left half of a 4x4 canvas in one color.
    private func leftHalf(_ color: UInt32) -> TextCue {
        let rect = PixelRect(x: 0, y: 0, width: 2, height: 4)
        let part = SubtitleBitmap.Part(
            rect: rect,
            colors: [0, color],
            pixels: [UInt8](repeating: 1, count: 8)
        )
        return cue([part], canvas: PixelSize(width: 4, height: 4))
    }

    /// Returns a plane of four rows, whose left half has one sample and whose right half has another one.
    private func halves(_ left: [UInt8], _ right: [UInt8], columns: Int = 4, rows: Int = 4) -> [UInt8] {
        let row = (0..<columns).flatMap { $0 < columns / 2 ? left : right }
        return (0..<rows).flatMap { _ in row }
    }

    @Test("Opaque white replaces the pixels of each format, and other pixels stay")
    func white() throws {
        let white = leftHalf(0xFFFF_FFFF)
        let gray16: (Int) -> [UInt8] = { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let black = [UInt8](repeating: 0, count: 64)
        for format in [PixelFormat.rgba, .bgra] {
            #expect(
                try draw(white, on: frame(format, halves([0, 0, 0, 255], [0, 0, 0, 255])))
                    == halves([255, 255, 255, 255], [0, 0, 0, 255])
            )
        }
        #expect(
            try draw(white, on: frame(.rgb24, Array(black.prefix(48))))
                == halves([255, 255, 255], [0, 0, 0])
        )
        #expect(
            try draw(white, on: frame(.gray, [UInt8](repeating: 16, count: 16))) == halves([235], [16])
        )
        let luma = halves([235], [50])
        let chroma = halves([128], [90], columns: 2, rows: 2)
        let old = [UInt8](repeating: 50, count: 16) + [UInt8](repeating: 90, count: 8)
        #expect(try draw(white, on: frame(.yuv420p, old)) == luma + chroma + chroma)
        #expect(
            try draw(white, on: frame(.nv12, old)) == luma
                + halves([128, 128], [90, 90], columns: 2, rows: 2)
        )
        #expect(
            try draw(white, on: frame(.yuvj420p, old))
                == halves([255], [50]) + chroma + chroma
        )
        // 10 bits, in the lower and in the upper bits of two bytes.
        func wide(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).flatMap { _ in gray16(value) } }
        #expect(
            try draw(white, on: frame(.yuv420p10le, wide(200, 16) + wide(400, 8)))
                == halves(gray16(940), gray16(200)) + halves(gray16(512), gray16(400), columns: 2, rows: 2)
                + halves(gray16(512), gray16(400), columns: 2, rows: 2)
        )
        #expect(
            try draw(white, on: frame(.p010le, wide(200 << 6, 16) + wide(400 << 6, 8)))
                == halves(gray16(940 << 6), gray16(200 << 6))
                + halves(
                    gray16(512 << 6) + gray16(512 << 6),
                    gray16(400 << 6) + gray16(400 << 6),
                    columns: 2,
                    rows: 2
                )
        )
    }

    @Test(
        "Colors have the matrix of the frame",
        arguments: [
            ("bt709", [63, 102, 240] as [UInt8]), ("smpte170m", [81, 90, 240]), ("bt2020nc", [74, 97, 240]),
        ]
    )
    func matrix(_ name: String, _ red: [UInt8]) throws {
        let old = try frame(
            .yuv444p,
            [UInt8](repeating: 128, count: 48),
            color: ColorDescription(matrix: name)
        )
        let drawn = try draw(leftHalf(0xFFFF_0000), on: old)
        #expect(drawn == red.flatMap { halves([$0], [128]) })
    }

    @Test(
        "White has the reference level in frames of high dynamic range",
        arguments: [("smpte2084", 572), ("arib-std-b67", 721)]
    )
    func highDynamicRange(_ transfer: String, _ luma: Int) throws {
        let color = ColorDescription(primaries: "bt2020", transfer: transfer, matrix: "bt2020nc")
        let size = PixelSize(width: 4, height: 4)
        let old = (0..<24).flatMap { _ in [UInt8(0), 2] }
        let drawn = try draw(leftHalf(0xFFFF_FFFF), on: frame(.yuv420p10le, old, size: size, color: color))
        #expect(drawn[0] == UInt8(luma & 0xFF) && drawn[1] == UInt8(luma >> 8))
        // Chroma stays neutral.
        #expect(drawn[32...] == old[32...])
    }

    @Test(
        "A color with alpha is mixed with the pixels below",
        arguments: [
            // color, below, result
            (0x80FF_FFFF as UInt32, [100, 100, 100, 255], [178, 178, 178, 255] as [UInt8]),
            (0x0000_00FF, [100, 100, 100, 255], [100, 100, 100, 255]),
            (0x40FF_8000, [0, 0, 0, 255], [64, 32, 0, 255]),
            // Over a transparent frame the color stays, and alpha is that of the subtitle.
            (0x80FF_8000, [0, 0, 0, 0], [255, 128, 0, 128]),
            (0x80FF_FFFF, [0, 0, 0, 128], [170, 170, 170, 192]),
        ] as [(UInt32, [UInt8], [UInt8])]
    )
    func alpha(_ color: UInt32, _ below: [UInt8], _ result: [UInt8]) throws {
        let drawn = try draw(leftHalf(color), on: frame(.rgba, halves(below, below)))
        #expect(drawn == halves(result, below))
    }

    @Test("A chroma sample that is covered in part is mixed by the covered part")
    func chromaEdges() throws {
        let part = SubtitleBitmap.Part(
            rect: PixelRect(x: 1, y: 1, width: 1, height: 1),
            colors: [0xFFFF_0000],
            pixels: [0]
        )
        let old = try frame(
            .yuv420p,
            [UInt8](repeating: 16, count: 16) + [UInt8](repeating: 128, count: 8),
            color: ColorDescription(matrix: "bt709")
        )
        let drawn = try draw(cue([part], canvas: old.size), on: old)
        var luma = [UInt8](repeating: 16, count: 16)
        luma[5] = 63
        // A quarter of the distance to 102 and to 240.
        #expect(drawn == luma + [122, 128, 128, 128] + [156, 128, 128, 128])
    }

    @Test("A bitmap is scaled from its canvas to the video, and bars stay")
    func scaling() throws {
        let size = PixelSize(width: 4, height: 8)
        let old = try frame(
            .gray,
            [UInt8](repeating: 16, count: 32),
            size: size,
            color: ColorDescription(isFullRange: true)
        )
        // The video is 4x4, in the middle of the frame. The right half of its canvas of 2x2 is white.
        let part = SubtitleBitmap.Part(
            rect: PixelRect(x: 1, y: 0, width: 1, height: 2),
            colors: [0xFFFF_FFFF],
            pixels: [0, 0]
        )
        let drawn = try draw(
            cue([part], canvas: PixelSize(width: 2, height: 2)),
            on: old,
            in: PixelSize(width: 4, height: 4)
        )
        let rows = stride(from: 0, to: 32, by: 4).map { Array(drawn[$0..<$0 + 4]) }
        #expect(
            rows[0] == [16, 16, 16, 16] && rows[1] == rows[0] && rows[6] == rows[0] && rows[7] == rows[0]
        )
        for row in rows[3...4] { #expect(row[0] == 16 && row[1] == 16 && row[2] > 180 && row[3] > 180) }
    }

    @Test("A bitmap that is reduced is averaged")
    func reduction() throws {
        let old = try frame(
            .gray,
            [UInt8](repeating: 0, count: 16),
            color: ColorDescription(isFullRange: true)
        )
        let size = PixelSize(width: 16, height: 16)
        // Every other column is white.
        let part = SubtitleBitmap.Part(
            rect: PixelRect(x: 0, y: 0, width: 16, height: 16),
            colors: [0, 0xFFFF_FFFF],
            pixels: (0..<256).map { UInt8($0 & 1) }
        )
        let drawn = try draw(cue([part], canvas: size), on: old)
        // The inner pixels: half of white.
        for index in [5, 6, 9, 10] { #expect(abs(Int(drawn[index]) - 128) <= 1) }
    }

    @Test("Parts outside of the frame, without pixels or with unknown colors draw nothing and do not trap")
    func strange() throws {
        let old = try frame(
            .gray,
            [UInt8](repeating: 7, count: 16),
            color: ColorDescription(isFullRange: true)
        )
        let rects = [
            PixelRect(x: 9, y: 9, width: 2, height: 2), PixelRect(x: -9, y: -9, width: 2, height: 2),
            PixelRect(x: 0, y: 0, width: 3, height: 3),
        ]
        for rect in rects {
            let part = SubtitleBitmap.Part(rect: rect, colors: [], pixels: [5, 6, 7, 8])
            #expect(try draw(cue([part], canvas: old.size), on: old) == bytes(old))
        }
        let one = SubtitleBitmap.Part(
            rect: PixelRect(x: -1, y: -1, width: 2, height: 2),
            colors: [~0],
            pixels: [0, 0, 0, 0]
        )
        var expected = bytes(old)
        expected[0] = 255
        #expect(try draw(cue([one], canvas: old.size), on: old) == expected)
    }

    @Test("The frame that is drawn on is not changed, and formats that cannot be drawn on are refused")
    func untouched() throws {
        let old = try frame(.gray, [UInt8](repeating: 7, count: 16))
        _ = try draw(leftHalf(0xFFFF_FFFF), on: old)
        #expect(bytes(old) == [UInt8](repeating: 7, count: 16))
        let palette = try frame(PixelFormat(rawValue: "rgb565le"), [UInt8](repeating: 7, count: 32))
        let error = #expect(throws: MediaError.self) { try draw(leftHalf(0xFFFF_FFFF), on: palette) }
        #expect(error?.code == .conversionFailed)
        #expect(error?.message == "subtitles are not drawn: frames in rgb565le are not supported")
    }

    @Test("Without libass, text is refused with the name of the package")
    func missingLibrary() throws {
        let renderer = FFmpegSubtitleRenderer {
            Result { () throws(MediaError) in try ASSLibrary(opening: "libass-none.so") }
        }
        let old = try frame(.gray, [UInt8](repeating: 7, count: 16))
        let text = TextCue(
            text: "A",
            timeRange: MediaTimeRange(start: .zero, duration: .indefinite),
            track: 2
        )
        let geometry = VideoGeometry(old.format.shape, gravity: .resize, target: nil)
        let error = #expect(throws: MediaError.self) {
            try renderer.draw([text], at: .zero, on: old, geometry: geometry)
        }
        #expect(
            error?.message
                == "text subtitles are not drawn: libass-none.so is not installed (Debian: libass9)"
        )
    }
}
