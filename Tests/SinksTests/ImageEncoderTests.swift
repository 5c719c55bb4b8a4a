import Foundation
import MediaCore
import Sinks
import TestSupport
import Testing

/// Files of the encoders, decoded by the ffmpeg command.
@Suite struct ImageEncoderTests {
    private func frame(
        _ name: PixelFormat,
        _ color: ColorDescription,
        _ content: ByteFrameStorage,
        _ size: PixelSize
    ) -> VideoFrame {
        videoFrame(VideoFormat(pixelFormat: name, size: size, color: color), content)
    }

    /// Returns all samples of an image file in `format`.
    private func decoded(_ path: String, as format: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-pix_fmt", format, "-f", "rawvideo", "-",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Array(bytes)
    }

    private func write(_ bytes: [UInt8], _ name: String, _ folder: TemporaryFolder) throws -> String {
        let path = folder.path(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("PNG keeps every sample, with alpha and without, in odd sizes", arguments: RowLayout.allCases)
    func png(layout: RowLayout) throws {
        let folder = try TemporaryFolder()
        let encoder = ImageEncoder(.png)
        for (format, name, width) in [
            (PixelFormat.rgb24, "rgb24", 3), (.rgba, "rgba", 4), (.gray, "gray", 1),
        ] {
            let content = makeStorage([(7 * width, 5)], layout: layout)
            let size = PixelSize(width: 7, height: 5)
            let bytes = try encoder.encode(frame(format, ColorDescription(), content.storage, size))
            let path = try write(bytes, "\(name).png", folder)
            #expect(try decoded(path, as: name) == content.packed, "\(name)")
        }
    }

    /// Plain colors, which change by at most two steps at any quality.
    @Test(
        "Colours are those of the frame, whatever its matrix and range: JPEG and WebP have one matrix alone",
        arguments: ["bt709", "smpte170m", "bt2020nc"],
        [false, true]
    )
    func colors(matrix: String, isFull: Bool) throws {
        let folder = try TemporaryFolder()
        let size = PixelSize(width: 64, height: 48)
        // Saturated red by the matrix of BT.709 or another standard. Its RGB values are computed here.
        let (kr, kb) = [
            "bt709": (0.2126, 0.0722), "smpte170m": (0.299, 0.114), "bt2020nc": (0.2627, 0.0593),
        ][matrix]!
        let rgb = [200.0, 60, 90]
        let luma = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]
        let blue = (rgb[2] - luma) / (2 * (1 - kb))
        let red = (rgb[0] - luma) / (2 * (1 - kr))
        let samples =
            isFull
            ? [luma, 128 + blue, 128 + red]
            : [16 + luma * 219 / 255, 128 + blue * 224 / 255, 128 + red * 224 / 255]
        let values = samples.map { UInt8($0.rounded()) }
        let counts = [64 * 48, 32 * 24, 32 * 24]
        let bytes = zip(values, counts).flatMap { [UInt8](repeating: $0, count: $1) }
        let storage = ByteFrameStorage(
            bytes,
            [
                .init(offset: 0, bytesPerRow: 64, bytesUsedPerRow: 64, rowCount: 48),
                .init(offset: 64 * 48, bytesPerRow: 32, bytesUsedPerRow: 32, rowCount: 24),
                .init(offset: 64 * 48 + 32 * 24, bytesPerRow: 32, bytesUsedPerRow: 32, rowCount: 24),
            ]
        )
        let color = ColorDescription(matrix: matrix, isFullRange: isFull)
        for format in ImageFileFormat.allCases {
            let bytes = try ImageEncoder(format, quality: 100).encode(frame(.yuv420p, color, storage, size))
            let path = try write(bytes, "a.\(format.rawValue)", folder)
            let found = try decoded(path, as: "rgb24")
            try #require(found.count == 64 * 48 * 3)
            for channel in 0..<3 {
                let off = abs(Double(found[(24 * 64 + 32) * 3 + channel]) - rgb[channel])
                #expect(
                    off <= 4,
                    "\(format) channel \(channel): \(found[(24 * 64 + 32) * 3..<(24 * 64 + 32) * 3 + 3]) for \(values)"
                )
            }
        }
    }

    @Test("Gray of limited range becomes full-range, as readers of image files expect")
    func limitedGray() throws {
        let folder = try TemporaryFolder()
        let size = PixelSize(width: 32, height: 16)
        let storage = ByteFrameStorage(
            [UInt8](repeating: 235, count: 32 * 16),
            [.init(offset: 0, bytesPerRow: 32, bytesUsedPerRow: 32, rowCount: 16)]
        )
        let frame = frame(.gray, ColorDescription(isFullRange: false), storage, size)
        for format in ImageFileFormat.allCases {
            let bytes = try ImageEncoder(format, quality: 100).encode(frame)
            let path = try write(bytes, "a.\(format.rawValue)", folder)
            let found = try decoded(path, as: "rgb24")
            #expect(found.count == 32 * 16 * 3 && found.allSatisfy { $0 >= 253 }, "\(format)")
        }
    }

    @Test("A lower quality makes a smaller file; encoding a frame again makes an identical file")
    func quality() throws {
        let size = PixelSize(width: 160, height: 120)
        var random = SplitMix64(7)
        let noise = (0..<160 * 120 * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
        let storage = ByteFrameStorage(
            noise,
            [.init(offset: 0, bytesPerRow: 480, bytesUsedPerRow: 480, rowCount: 120)]
        )
        let image = frame(.rgb24, ColorDescription(), storage, size)
        for format in [ImageFileFormat.jpeg, .webp] {
            let counts = try [1, 50, 90, 100].map {
                try ImageEncoder(format, quality: $0).encode(image).count
            }
            #expect(counts == counts.sorted() && Set(counts).count == 4, "\(format): \(counts)")
            #expect(try ImageEncoder(format).encode(image).count == counts[2])
        }
        for format in ImageFileFormat.allCases {
            let encoder = ImageEncoder(format)
            let files = try (0..<4).map { _ in try encoder.encode(image) }
            #expect(try Set(files) == [ImageEncoder(format).encode(image)], "\(format)")
        }
        let encoder = ImageEncoder(.jpeg)
        let half = frame(.rgb24, ColorDescription(), storage, PixelSize(width: 160, height: 60))
        #expect(try encoder.encode(image) == ImageEncoder(.jpeg).encode(image))
        #expect(try encoder.encode(half) == ImageEncoder(.jpeg).encode(half))
        #expect(try encoder.encode(image) == ImageEncoder(.jpeg).encode(image))
    }

    @Test("A frame that cannot be stored throws an error with a message, and the next frame is encoded")
    func refused() throws {
        let encoder = ImageEncoder(.webp)
        let storage = ByteFrameStorage(
            [0, 0, 0],
            [.init(offset: 0, bytesPerRow: 0, bytesUsedPerRow: 3, rowCount: 1)]
        )
        let wide = frame(.rgb24, ColorDescription(), storage, PixelSize(width: 20_000, height: 1))
        let rows = ByteFrameStorage(
            [UInt8](repeating: 9, count: 60_000),
            [.init(offset: 0, bytesPerRow: 60_000, bytesUsedPerRow: 60_000, rowCount: 1)]
        )
        let error = #expect(throws: PlaybackError.self) {
            try encoder.encode(frame(.rgb24, wide.format.color, rows, wide.size))
        }
        #expect(
            error?.code == .conversionFailed && error?.message.contains("20000x1") == true,
            "\(String(describing: error))"
        )
        #expect(
            try !encoder.encode(frame(.rgb24, ColorDescription(), rows, PixelSize(width: 100, height: 1)))
                .isEmpty
        )
        let unknown = frame(
            PixelFormat(rawValue: "nothing"),
            ColorDescription(),
            rows,
            PixelSize(width: 4, height: 1)
        )
        #expect(throws: PlaybackError.self) { try encoder.encode(unknown) }
    }
}
