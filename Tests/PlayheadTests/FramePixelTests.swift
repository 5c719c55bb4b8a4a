import Foundation
import Playhead
import TestSupport
import Testing

/// Pictures of the ffmpeg command, and what it converts them to.
private enum Reference {
    /// Runs ffmpeg and returns what it writes to standard output.
    static func output(_ arguments: [String]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["ffmpeg", "-nostdin", "-v", "error"] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Array(bytes)
    }

    /// Returns a test picture without hard edges, in which the interpolation of chroma decides little.
    static func picture(_ format: String, _ size: PixelSize) throws -> [UInt8] {
        let source = "testsrc2=size=320x180,format=gbrp,gblur=sigma=3,scale=\(size.width):\(size.height)"
        return try output(
            ["-f", "lavfi", "-i", source, "-frames:v", "1"] + ["-pix_fmt", format, "-f", "rawvideo", "-"]
        )
    }

    /// Returns packed samples after ffmpeg's own conversion.
    static func converted(
        _ bytes: [UInt8],
        _ format: String,
        _ size: PixelSize,
        to target: String,
        _ targetSize: PixelSize,
        in folder: TemporaryFolder
    ) throws -> [UInt8] {
        try folder.write("in.raw", bytes)
        let scale =
            "scale=\(targetSize.width):\(targetSize.height)"
            + ":flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp" + chromaPosition(format)
        return try output(
            ["-f", "rawvideo", "-pix_fmt", format, "-s", "\(size)", "-i", folder.path("in.raw")]
                + ["-vf", scale, "-pix_fmt", target, "-f", "rawvideo", "-"]
        )
    }

    /// Returns the options of ffmpeg's scaler for a stream that does not declare its chroma location: left, as in MPEG-2,
    /// where ffmpeg itself assumes the middle. JPEG's is the middle.
    private static func chromaPosition(_ format: String) -> String {
        let halves = ["420p", "nv12", "nv21", "p010"]
        if format.hasPrefix("yuvj") { return "" }
        if format == "yuv410p" { return ":in_h_chr_pos=0:in_v_chr_pos=384" }
        if halves.contains(where: format.contains) { return ":in_h_chr_pos=0:in_v_chr_pos=128" }
        return format.contains("422") || format.contains("411") ? ":in_h_chr_pos=0" : ""
    }

    /// Returns the PSNR of 8-bit samples in decibels: infinity for identical samples, NaN if the counts differ.
    static func psnr(_ a: [UInt8], _ b: [UInt8]) -> Double {
        guard a.count == b.count, !a.isEmpty else { return .nan }
        let sum = zip(a, b).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
        return 10 * log10(255.0 * 255 * Double(a.count) / Double(sum))
    }
}

@Suite("Bytes and conversions of a frame")
struct FramePixelTests {
    /// The formats that decoders deliver most: 8 to 16 bits, every subsampling, semi-planar, gray, palette, alpha, RGB.
    private static let formats = [
        "yuv420p", "yuvj420p", "yuv422p", "yuv444p", "yuv410p", "yuv411p", "yuv440p", "nv12", "nv21",
        "yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv420p12le", "yuv444p12le", "yuv422p16le", "p010le",
        "yuyv422", "uyvy422", "gray", "gray10le", "gray16le", "ya8", "yuva420p", "yuva444p10le", "pal8",
        "rgb24",
        "bgr24", "rgba", "bgra", "argb", "bgr0", "rgb48le", "rgba64le", "rgb565le", "gbrp", "gbrp10le",
        "gbrap",
        "gbrpf32le",
    ]

    @Test("A frame made of packed samples returns the same samples, in every format and in odd sizes")
    func roundTrip() throws {
        for format in Self.formats {
            for size in [PixelSize(width: 33, height: 17), PixelSize(width: 1, height: 1)] {
                let bytes = try Reference.picture(format, size)
                let time = MediaTime(value: 7, timescale: 25)
                let frame = try VideoFrame(
                    packed: bytes,
                    pixelFormat: PixelFormat(rawValue: format),
                    size: size,
                    presentationTime: time
                )
                #expect(frame.size == size && frame.presentationTime == time)
                #expect(try frame.packedBytes() == bytes, "\(format) \(size)")
                #expect(try frame.withPackedBytes { Array($0) } == bytes, "\(format) \(size)")
            }
        }
    }

    @Test("RGB is what ffmpeg converts the same samples to", arguments: formats)
    func rgb(_ format: String) throws {
        let folder = try TemporaryFolder()
        let size = PixelSize(width: 161, height: 91)
        let bytes = try Reference.picture(format, size)
        let frame = try VideoFrame(packed: bytes, pixelFormat: PixelFormat(rawValue: format), size: size)
        for target in [size, PixelSize(width: 64, height: 36), PixelSize(width: 223, height: 225)] {
            let expected = try Reference.converted(bytes, format, size, to: "rgb24", target, in: folder)
            let found = try frame.converted(to: .rgb24, size: target).packedBytes()
            let decibels = Reference.psnr(found, expected)
            #expect(decibels >= 38, "\(format) in \(target): \(decibels) dB")
        }
        #expect(try frame.packedBytes(as: .rgb24) == frame.converted(to: .rgb24).packedBytes())
    }

    @Test("Floating point is the same picture as 8 bits, from 0 to 1, in the order height, width, channel")
    func floats() throws {
        let size = PixelSize(width: 33, height: 17)
        for format in Self.formats {
            let bytes = try Reference.picture(format, size)
            let frame = try VideoFrame(packed: bytes, pixelFormat: PixelFormat(rawValue: format), size: size)
            for target in [size, PixelSize(width: 20, height: 40)] {
                let integers = try frame.converted(to: .rgb24, size: target).packedBytes()
                let floats = try frame.converted(to: .rgbf32, size: target)
                #expect(floats.pixelFormat == .rgbf32 && floats.format.color.matrix == "gbr")
                let values = try floats.withPackedBytes { Array($0.bindMemory(to: Float.self)) }
                try #require(
                    values.count == integers.count && values.count == target.width * target.height * 3
                )
                #expect(values.allSatisfy { (0...1).contains($0) })
                let worst = zip(values, integers).map { abs($0 * 255 - Float($1)) }.max() ?? .infinity
                #expect(worst <= 2.5, "\(format) in \(target): \(worst)")
            }
        }
    }

    @Test("8-bit RGB becomes floating point exactly, and back")
    func exactFloats() throws {
        let size = PixelSize(width: 16, height: 16)
        let bytes = (0..<16 * 16 * 3).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let frame = try VideoFrame(packed: bytes, pixelFormat: .rgb24, size: size)
        let floats = try frame.converted(to: .rgbf32)
        let values = try floats.withPackedBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(values == bytes.map { Float($0) / 255 })
        #expect(try floats.packedBytes(as: .rgb24) == bytes)
        let made = try VideoFrame(packed: floats.packedBytes(), pixelFormat: .rgbf32, size: size)
        #expect(try made.packedBytes(as: .rgb24) == bytes)
        #expect(try made.converted(to: .rgbf32).storage === made.storage)
        // Samples outside of 0...1 are clamped, and no number is black.
        let wild: [Float] = [-1, 0.5, 2, .nan, .infinity, -.infinity]
        let outside = try VideoFrame(
            packed: wild.withUnsafeBytes { Array($0) },
            pixelFormat: .rgbf32,
            size: PixelSize(width: 2, height: 1)
        )
        #expect(try outside.packedBytes(as: .rgb24) == [0, 128, 255, 0, 255, 0])
    }

    @Test("Alpha is kept where the target has it")
    func alpha() throws {
        let size = PixelSize(width: 2, height: 1)
        let bytes: [UInt8] = [10, 20, 30, 40, 200, 100, 50, 255]
        let frame = try VideoFrame(packed: bytes, pixelFormat: .rgba, size: size)
        #expect(try frame.packedBytes(as: .bgra) == [30, 20, 10, 40, 50, 100, 200, 255])
        #expect(try frame.packedBytes(as: .rgb24) == [10, 20, 30, 200, 100, 50])
    }

    @Test(
        "Without a size every sample stays in place; with a size the frame is upright and has square pixels"
    )
    func orientation() throws {
        let size = PixelSize(width: 2, height: 1)
        var frame = try VideoFrame(
            packed: [255, 0, 0, 0, 0, 255],
            pixelFormat: .rgb24,
            size: size
        )
        frame.format.rotation = .clockwise90
        let kept = try frame.converted(to: .rgba)
        #expect(kept.format.rotation == .clockwise90 && kept.size == size)
        let turned = try frame.converted(to: .rgb24, size: PixelSize(width: 1, height: 2))
        #expect(turned.format.rotation == .none)
        // Red was on the left, which is the top after the rotation.
        #expect(try turned.packedBytes() == [255, 0, 0, 0, 0, 255])
        let unchanged = try frame.converted(to: .rgb24)
        #expect(unchanged.storage === frame.storage)
    }

    @Test("A gravity fits the frame: bars are black or transparent, at odd rows and columns too")
    func gravity() throws {
        let size = PixelSize(width: 160, height: 90)
        for (format, target, samples) in [
            (PixelFormat.rgb24, PixelSize(width: 101, height: 101), 3),
            (.rgba, PixelSize(width: 161, height: 63), 4), (.bgra, PixelSize(width: 100, height: 99), 4),
        ] {
            let bytes = try Reference.picture("yuv420p", size)
            let frame = try VideoFrame(packed: bytes, pixelFormat: .yuv420p, size: size)
            let result = try frame.converted(to: format, size: target, gravity: .resizeAspect)
            let geometry = VideoGeometry(frame.format.shape, gravity: .resizeAspect, target: target)
            let packed = try result.packedBytes()
            var bars = 0
            for bar in geometry.bars {
                for row in bar.y..<(bar.y + bar.height) {
                    for column in bar.x..<(bar.x + bar.width) {
                        let start = (row * target.width + column) * samples
                        if packed[start..<start + samples].allSatisfy({ $0 == 0 }) { bars += 1 }
                    }
                }
            }
            #expect(bars == geometry.bars.reduce(0) { $0 + $1.width * $1.height } && bars > 0)
        }
    }

    @Test("High dynamic range is mapped where it becomes RGB, and only there")
    func dynamicRange() throws {
        let size = PixelSize(width: 16, height: 16)
        let luma = [UInt8](repeating: 0, count: 512).enumerated().map { $0.offset % 2 == 0 ? UInt8(0) : 2 }
        let chroma = [UInt8](repeating: 0, count: 256).enumerated().map { $0.offset % 2 == 0 ? UInt8(0) : 2 }
        var frame = try VideoFrame(packed: luma + chroma, pixelFormat: .yuv420p10le, size: size)
        frame.format.color = ColorDescription(
            primaries: "bt2020",
            transfer: "smpte2084",
            matrix: "bt2020nc",
            isFullRange: false
        )
        #expect(try frame.converted(to: .rgb24).format.color.transfer == "bt709")
        #expect(try frame.converted(to: .yuv444p10).format.color.transfer == "smpte2084")
        #expect(
            try frame.converted(to: .yuv420p, size: PixelSize(width: 8, height: 8)).format.color.transfer
                == "bt709"
        )
    }

    @Test("What cannot be a frame, and what cannot be converted, throws an error")
    func refused() throws {
        let size = PixelSize(width: 2, height: 2)
        for (bytes, format, size) in [
            ([UInt8](repeating: 0, count: 11), PixelFormat.rgb24, size), ([], .rgb24, size),
            ([UInt8](repeating: 0, count: 13), .rgb24, size),
            ([UInt8](repeating: 0, count: 12), PixelFormat(rawValue: "nonsense"), size),
            ([UInt8](repeating: 0, count: 12), PixelFormat(rawValue: "vaapi"), size),
            ([], .rgb24, .zero), ([], .rgb24, PixelSize(width: -1, height: 2)),
            ([], .rgbf32, PixelSize(width: 1 << 40, height: 1 << 40)),
        ] {
            let error = #expect(throws: PlaybackError.self) {
                try VideoFrame(packed: bytes, pixelFormat: format, size: size)
            }
            #expect(error?.code == .invalidArgument)
        }
        let frame = try VideoFrame(packed: [UInt8](repeating: 9, count: 12), pixelFormat: .rgb24, size: size)
        for attempt: () throws -> VideoFrame in [
            { try frame.converted(to: PixelFormat(rawValue: "nonsense")) },
            { try frame.converted(to: .rgba, size: .zero) },
            { try frame.converted(to: .rgbf32, size: PixelSize(width: 1 << 40, height: 1)) },
        ] {
            let error = #expect(throws: PlaybackError.self) { try attempt() }
            #expect(error?.code == .conversionFailed)
        }
        struct Stop: Error {}
        #expect(throws: Stop.self) { try frame.withPackedBytes { _ in throw Stop() } }
    }

    @Test("Rows that are stored bottom-up or with padding are packed from the top")
    func rows() throws {
        let storage = ByteFrameStorage(
            [3, 4, 99, 1, 2, 99],
            [.init(offset: 3, bytesPerRow: -3, bytesUsedPerRow: 2, rowCount: 2)]
        )
        var frame = try VideoFrame(
            packed: [0, 0, 0, 0],
            pixelFormat: .gray,
            size: PixelSize(width: 2, height: 2)
        )
        frame.storage = storage
        #expect(try frame.packedBytes() == [1, 2, 3, 4])
        #expect(try frame.withPackedBytes { Array($0) } == [1, 2, 3, 4])
    }
}

extension PixelFormat {
    fileprivate static let yuv444p10 = PixelFormat(rawValue: "yuv444p10le")
}

@Suite("Image files of a frame")
struct FrameFileTests {
    private func frame() throws -> VideoFrame {
        try VideoFrame(
            packed: [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255],
            pixelFormat: .rgb24,
            size: PixelSize(width: 2, height: 2)
        )
    }

    @Test(
        "The extension selects the format, and an existing file is replaced",
        arguments: ["png", "jpg", "JPEG", "webp"]
    )
    func written(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("a b%20.\(name)")
        try folder.write("a b%20.\(name)", Array("old".utf8))
        try frame().write(to: url)
        let size = try Reference.output(["-i", url.path, "-pix_fmt", "rgb24", "-f", "rawvideo", "-"])
        #expect(size.count == 12)
        if name == "png" { #expect(size == (try frame().packedBytes())) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a b%20.\(name)"])
    }

    @Test("The image is what a viewer sees: upright, with square pixels")
    func upright() throws {
        let folder = try TemporaryFolder()
        var frame = try frame()
        frame.format.rotation = .clockwise90
        try frame.write(to: folder.file("a.png"))
        let turned = try Reference.output([
            "-i", folder.path("a.png"), "-pix_fmt", "rgb24", "-f", "rawvideo", "-",
        ])
        #expect(turned == [0, 0, 255, 255, 0, 0, 255, 255, 255, 0, 255, 0])
        frame.format.rotation = .none
        frame.format.pixelAspectRatio = Rational(2, 1)
        try frame.write(to: folder.file("b.png"))
        let wide = try Reference.output([
            "-i", folder.path("b.png"), "-pix_fmt", "rgb24", "-f", "rawvideo", "-",
        ])
        #expect(wide.count == 4 * 2 * 3)
    }

    @Test(
        "Colors of a PNG stay in place where chroma is reversed",
        arguments: [(Rotation.half, false), (.clockwise90, true), (.none, true)]
    )
    func reversedChroma(_ rotation: Rotation, _ isMirrored: Bool) throws {
        let folder = try TemporaryFolder()
        let size = PixelSize(width: 64, height: 48)
        let bytes = try Reference.picture("yuv420p", size)
        var frame = try VideoFrame(packed: bytes, pixelFormat: .yuv420p, size: size)
        (frame.format.rotation, frame.format.isMirrored) = (rotation, isMirrored)
        try frame.write(to: folder.file("a.png"))
        let written = try Reference.output([
            "-i", folder.path("a.png"), "-pix_fmt", "rgb24", "-f", "rawvideo", "-",
        ])
        let expected = try frame.converted(to: .rgb24, size: frame.format.presentationSize)
        #expect(written == (try expected.packedBytes()))
    }

    @Test(
        "Bars of a PNG from a layer are black beside a frame that begins at an odd row or column",
        .enabled(if: Fixture.areThere, "make fixtures"),
        arguments: [PixelSize(width: 100, height: 99), PixelSize(width: 99, height: 36)]
    )
    func layerBars(_ target: PixelSize) async throws {
        let folder = try TemporaryFolder()
        let sink = try ImageSequenceSink(path: try #require(NumberedPath(folder.path("a%d.png"))))
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let layer = PlayerLayer(player: player, size: target)
        layer.add(sink)
        let events = player.events
        player.replaceCurrentItem(with: PlayerItem(url: Fixture.url("clip-h264-aac.mp4")))
        for await event in events { if case .readyForDisplayChanged(_, true) = event { break } }
        let rect = layer.videoRect
        #expect(rect.x % 2 == 1 || rect.y % 2 == 1)
        await player.shutdown()
        #expect(sink.error == nil)
        let pixels = try Reference.output([
            "-i", folder.path("a1.png"), "-pix_fmt", "rgb24", "-f", "rawvideo", "-",
        ])
        try #require(pixels.count == target.width * target.height * 3)
        var brightest: UInt8 = 0
        for row in 0..<target.height {
            for column in 0..<target.width {
                let isInside =
                    row >= rect.y && row < rect.y + rect.height && column >= rect.x
                    && column < rect.x + rect.width
                if isInside { continue }
                let start = (row * target.width + column) * 3
                brightest = max(brightest, pixels[start..<start + 3].max() ?? 0)
            }
        }
        #expect(brightest == 0)
        withExtendedLifetime(layer) {}
    }

    @Test("Quality is that of JPEG and WebP")
    func quality() throws {
        let folder = try TemporaryFolder()
        let bytes = try Reference.picture("rgb24", PixelSize(width: 160, height: 90))
        let frame = try VideoFrame(
            packed: bytes,
            pixelFormat: .rgb24,
            size: PixelSize(width: 160, height: 90)
        )
        for name in ["jpg", "webp"] {
            let sizes = try [10, 90].map { quality in
                try frame.write(to: folder.file("a.\(name)"), quality: quality)
                return try Data(contentsOf: folder.file("a.\(name)")).count
            }
            #expect(sizes[0] < sizes[1])
        }
    }

    @Test("A file that cannot be written keeps its content, and the error says why")
    func refused() throws {
        let folder = try TemporaryFolder()
        let frame = try frame()
        for (url, code) in [
            (folder.file("a.gif"), PlaybackError.Code.invalidArgument),
            (folder.file("png"), .invalidArgument),
            (URL(string: "https://example.com/a.png")!, .invalidArgument),
            (folder.file("missing/a.png"), .notFound),
        ] {
            let error = #expect(throws: PlaybackError.self) { try frame.write(to: url) }
            #expect(error?.code == code)
            #expect(error?.message.contains(url.lastPathComponent) == true)
        }
        try folder.write("kept.png", Array("old".utf8))
        var broken = frame
        broken.format.pixelFormat = PixelFormat(rawValue: "nonsense")
        let error = #expect(throws: PlaybackError.self) { try broken.write(to: folder.file("kept.png")) }
        #expect(error?.code == .conversionFailed)
        #expect(try Data(contentsOf: folder.file("kept.png")) == Data("old".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["kept.png"])
    }
}
