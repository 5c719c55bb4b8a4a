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

    /// A 16-bit sample in two bytes, repeated.
    private func wide(_ value: Int, _ count: Int = 1) -> [UInt8] {
        (0..<count).flatMap { _ in [UInt8(value & 0xFF), UInt8(value >> 8)] }
    }

    @Test("Opaque white replaces the pixels of each packed format, and other pixels stay")
    func packedWhite() throws {
        let opaque: [UInt8] = [0, 0, 0, 255]
        let dark: [UInt8] = wide(0, 3) + wide(65_535)
        let cases: [(format: String, old: [UInt8], white: [UInt8])] = [
            ("rgba", opaque, [255, 255, 255, 255]), ("bgra", opaque, [255, 255, 255, 255]),
            ("argb", [255, 0, 0, 0], [255, 255, 255, 255]), ("bgr0", [1, 1, 1, 7], [255, 255, 255, 7]),
            ("rgb24", [0, 0, 0], [255, 255, 255]), ("gray", [16], [235]),
            ("rgba64le", dark, wide(65_535, 4)), ("gray10le", wide(64), wide(940)),
        ]
        for (format, old, white) in cases {
            let below = try frame(PixelFormat(rawValue: format), halves(old, old))
            let drawn = try draw(leftHalf(0xFFFF_FFFF), on: below)
            #expect(drawn == halves(white, old), "\(format)")
        }
    }

    @Test("Opaque white replaces the pixels of each format with planes, and other pixels stay")
    func planarWhite() throws {
        let luma = [UInt8](repeating: 50, count: 16)
        let old: [UInt8] = luma + [UInt8](repeating: 90, count: 8)
        let low: [UInt8] = wide(200, 16) + wide(400, 8)
        let high: [UInt8] = wide(200 << 6, 16) + wide(400 << 6, 8)
        let chroma = halves([128], [90], columns: 2, rows: 2)
        let pairs = halves([128, 128], [90, 90], columns: 2, rows: 2)
        let lowChroma = halves(wide(512), wide(400), columns: 2, rows: 2)
        let highPairs = halves(wide(512 << 6, 2), wide(400 << 6, 2), columns: 2, rows: 2)
        let cases: [(format: PixelFormat, old: [UInt8], planes: [[UInt8]])] = [
            (.yuv420p, old, [halves([235], [50]), chroma, chroma]),
            (.yuvj420p, old, [halves([255], [50]), chroma, chroma]),
            (.nv12, old, [halves([235], [50]), pairs]),
            (.yuv420p10le, low, [halves(wide(940), wide(200)), lowChroma, lowChroma]),
            (.p010le, high, [halves(wide(940 << 6), wide(200 << 6)), highPairs]),
        ]
        for (format, old, planes) in cases {
            let drawn = try draw(leftHalf(0xFFFF_FFFF), on: frame(format, old))
            #expect(drawn == planes.flatMap(\.self), "\(format)")
        }
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
        let old = [[UInt8]](repeating: [0, 2], count: 24).flatMap { $0 }
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
        // Bit fields, components that share bytes, and luma at irregular distances.
        for (name, byteCount) in [("rgb565le", 32), ("x2rgb10le", 64), ("uyyvyy411", 24)] {
            let other = try frame(PixelFormat(rawValue: name), [UInt8](repeating: 7, count: byteCount))
            let error = #expect(throws: MediaError.self) { try draw(leftHalf(0xFFFF_FFFF), on: other) }
            #expect(error?.code == .conversionFailed)
            #expect(error?.message == "subtitles are not drawn: frames in \(name) are not supported")
        }
    }

    @Test(
        "Of text that overlaps, only what has room in a frame is placed",
        .enabled(if: ASSLibrary.isPresent),
        .timeLimit(.minutes(1))
    )
    func manyTexts() throws {
        let size = PixelSize(width: 64, height: 64)
        let old = try frame(.gray, [UInt8](repeating: 7, count: 64 * 64), size: size)
        let geometry = VideoGeometry(old.format.shape, gravity: .resizeAspect, target: size)
        // Placing all of them takes minutes.
        let cues = (0..<100_000).map { index in
            TextCue(
                text: "A\(index)",
                timeRange: MediaTimeRange(start: .zero, duration: MediaTime(value: 9, timescale: 1)),
                track: 2
            )
        }
        func drawn(_ cues: ArraySlice<TextCue>) throws -> [UInt8] {
            bytes(try FFmpegSubtitleRenderer().draw(Array(cues), at: .zero, on: old, geometry: geometry))
        }
        let all = try drawn(cues[...])
        #expect(all != bytes(old))
        #expect(try all == drawn(cues.prefix(100)))
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
