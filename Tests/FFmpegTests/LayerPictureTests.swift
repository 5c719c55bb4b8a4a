import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

@testable import FFmpeg

/// The frames that a layer with a size delivers to its sinks, compared with the results of ffmpeg's filters.
enum LayerPicture {
    /// The orientation and pixel aspect that a test sets instead of the file's.
    struct Marks: Sendable {
        var rotation = MediaCore.Rotation.none
        var isMirrored = false
        /// The pixel aspect ratio, or nil for the file's.
        var pixelAspectRatio: Rational?
    }

    /// The first frame of a layer.
    struct Shown {
        var frame: VideoFrame
        /// The shape of the frame before it was fitted.
        var shape: VideoShape
        /// The rectangle of the video as the layer reports it.
        var rect: PixelRect
    }

    /// Returns the first frame of a file as several layers of one player show it, or nil if one of them showed nothing.
    static func first(
        _ location: String,
        _ ways: [Way],
        marks: Marks?,
        pixelFormats: [PixelFormat] = []
    ) async -> [Shown]? {
        let seen = Locked([Int: VideoFrame]())
        let coded = Locked<VideoShape?>(nil)
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let layers = ways.enumerated().map { index, way in
            let layer = PlayerLayer(player: player, size: way.size)
            layer.videoGravity = way.gravity
            layer.dynamicRangePolicy = .matchSource
            layer.videoFilter = { frame in
                var frame = frame
                if let marks {
                    (frame.format.rotation, frame.format.isMirrored) = (marks.rotation, marks.isMirrored)
                    if let aspect = marks.pixelAspectRatio { frame.format.pixelAspectRatio = aspect }
                }
                coded.withLock { $0 = $0 ?? frame.format.shape }
                return frame
            }
            layer.add(
                CallbackVideoSink(pixelFormats: pixelFormats) { frame in
                    seen.withLock { $0[index] = $0[index] ?? frame }
                }
            )
            return layer
        }
        let events = player.events
        player.replaceCurrentItem(with: PlayerItem(url: URL(fileURLWithPath: location)))
        for await event in events {
            if case .readyForDisplayChanged(_, true) = event { break }
            if case .itemStatusChanged(_, .failed) = event { break }
        }
        let rects = layers.map(\.videoRect)
        await player.shutdown()
        guard let shape = coded.withLock({ $0 }) else { return nil }
        let frames = seen.withLock { $0 }
        let shown = ways.indices.compactMap { index in
            frames[index].map { Shown(frame: $0, shape: shape, rect: rects[index]) }
        }
        return shown.count == ways.count ? shown : nil
    }

    /// Returns ffmpeg's filters for a geometry. Its crop filter rounds to chroma samples unless `exact` is set.
    static func filters(_ geometry: VideoGeometry) -> String {
        let (source, size) = (geometry.source, geometry.scaledSize)
        let flags = "flags=bicubic+accurate_rnd+full_chroma_int"
        var chain = [
            "crop=\(source.width):\(source.height):\(source.x):\(source.y):exact=1",
            "scale=\(size.width):\(size.height):\(flags)",
        ]
        if geometry.isMirrored { chain.append("hflip") }
        switch geometry.rotation {
        case .none: break
        case .clockwise90: chain.append("transpose=clock")
        case .half: chain.append("hflip,vflip")
        case .clockwise270: chain.append("transpose=cclock")
        }
        return chain.joined(separator: ",")
    }

    /// Returns the luma values within a rectangle.
    static func luma(_ frame: VideoFrame, _ rect: PixelRect) -> [Int] {
        let isWide = frame.pixelFormat.rawValue.hasSuffix("le")
        return frame.withPlanes { planes in
            guard let plane = planes.first else { return [] }
            return (rect.y..<(rect.y + rect.height)).flatMap { row in
                (rect.x..<(rect.x + rect.width)).map { column in
                    let start = plane.baseAddress + row * plane.bytesPerRow
                    return isWide
                        ? Int(start.loadUnaligned(fromByteOffset: column * 2, as: UInt16.self))
                        : Int(start.load(fromByteOffset: column, as: UInt8.self))
                }
            }
        }
    }

    static func luma(_ bytes: [UInt8], of frame: VideoFrame, count: Int) -> [Int] {
        guard frame.pixelFormat.rawValue.hasSuffix("le") else { return bytes.prefix(count).map { Int($0) } }
        guard bytes.count >= 2 * count else { return [] }
        return (0..<count).map { Int(bytes[2 * $0]) | Int(bytes[2 * $0 + 1]) << 8 }
    }

    /// Returns the PSNR in decibels: infinity for identical values, NaN for arrays that cannot be compared.
    static func psnr(_ a: [Int], _ b: [Int], peak: Int) -> Double {
        guard a.count == b.count, !a.isEmpty else { return .nan }
        let sum = zip(a, b).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        return 10 * Foundation.log10(Double(peak * peak) * Double(a.count) / Double(sum))
    }

    /// Returns the distinct luma values outside of a rectangle.
    static func bars(_ frame: VideoFrame, around rect: PixelRect) -> Set<Int> {
        let geometryBars = [
            PixelRect(x: 0, y: 0, width: frame.size.width, height: rect.y),
            PixelRect(x: 0, y: rect.y, width: rect.x, height: rect.height),
            PixelRect(
                x: rect.x + rect.width,
                y: rect.y,
                width: frame.size.width - rect.x - rect.width,
                height: rect.height
            ),
            PixelRect(
                x: 0,
                y: rect.y + rect.height,
                width: frame.size.width,
                height: frame.size.height - rect.y - rect.height
            ),
        ]
        return geometryBars.reduce(into: []) { $0.formUnion(luma(frame, $1)) }
    }

    /// A size and gravity of a layer.
    struct Way: Sendable {
        var size: PixelSize
        var gravity: VideoGravity
    }

    /// Returns the problems of the frames that layers show of a file.
    static func problems(_ location: String, _ ways: [Way], marks: Marks? = nil) async -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "layers-\(UUID().uuidString)"
        )
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        guard let shown = await first(location, ways, marks: marks) else { return ["nothing was shown"] }
        var problems: [String] = []
        var outputs: [String] = []
        var compared: [(way: Way, frame: VideoFrame, geometry: VideoGeometry, path: String)] = []
        for (way, one) in zip(ways, shown) {
            let geometry = VideoGeometry(one.shape, gravity: way.gravity, target: way.size)
            if one.frame.format.shape != VideoShape(size: way.size) || one.rect != geometry.videoRect {
                problems.append("\(way): \(one.frame.format) in \(one.rect)")
                continue
            }
            let path = folder.appendingPathComponent("\(compared.count).raw").path
            let filters = "\(filters(geometry)),format=\(one.frame.pixelFormat)"
            outputs.append("-map 0:v:0 -frames:v 1 -vf '\(filters)' -f rawvideo '\(path)'")
            compared.append((way, one.frame, geometry, path))
        }
        let command = "ffmpeg -nostdin -v error -noautorotate -i '\(location)' "
        _ = Corpus.output(of: command + outputs.joined(separator: " "))
        for (way, frame, geometry, path) in compared {
            if let problem = problem(frame, geometry, Corpus.readBytes(path) ?? []) {
                problems.append("\(marks as Any) \(way): \(problem)")
            }
        }
        return problems
    }

    private static func problem(_ frame: VideoFrame, _ geometry: VideoGeometry, _ bytes: [UInt8]) -> String? {
        let inside = geometry.destination
        let expected = luma(bytes, of: frame, count: inside.width * inside.height)
        let depth = frame.pixelFormat.rawValue.contains("10") ? 10 : 8
        let decibels = psnr(luma(frame, inside), expected, peak: 1 << depth - 1)
        guard decibels >= 44 else { return "\(decibels) dB in \(inside), from \(geometry.source)" }
        let isFull = frame.format.color.isFullRange == true
        let black = isFull ? 0 : 16 << (depth - 8)
        let bars = bars(frame, around: inside)
        return bars.isSubset(of: [black]) ? nil : "bars of \(bars)"
    }

    static let sizes = [(300, 300), (201, 133), (98, 401)].map { PixelSize(width: $0.0, height: $0.1) }
}

// Rule: geometry
@Suite("A layer's frames compared with ffmpeg's filters")
struct LayerPictureTests {
    private static func fixture(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("media-fixtures/generated/\(name)").path
    }

    private static let areThere = FileManager.default.fileExists(atPath: fixture("rotated-90.mp4"))

    @Test(
        "Fixtures are shown as declared in the file",
        .enabled(if: areThere, "make fixtures"),
        arguments: ["clip-h264-aac.mp4", "rotated-90.mp4", "anamorphic.mp4"]
    )
    func fixtures(_ name: String) async {
        #expect(await LayerPicture.problems(Self.fixture(name), Self.ways(LayerPicture.sizes)) == [])
    }

    private static func ways(_ sizes: [PixelSize]) -> [LayerPicture.Way] {
        sizes.flatMap { size in
            [VideoGravity.resizeAspect, .resizeAspectFill, .resize].map {
                LayerPicture.Way(size: size, gravity: $0)
            }
        }
    }

    private static let oddSizes = [
        (201, 133), (49, 201), (151, 150), (99, 57), (33, 65), (321, 181), (131, 17),
    ].map { PixelSize(width: $0.0, height: $0.1) }

    /// Three gravities, four rotations, with and without mirroring, two pixel aspects and seven sizes are 336
    /// combinations.
    @Test(
        "A frame of odd size is shown in every combination of gravity, rotation, aspect and size",
        .enabled(if: areThere, "make fixtures")
    )
    func everyWay() async {
        var problems: [String] = []
        for aspect in [Rational(1, 1), Rational(32, 27)] {
            for rotation in MediaCore.Rotation.allCases {
                for isMirrored in [false, true] {
                    let marks = LayerPicture.Marks(
                        rotation: rotation,
                        isMirrored: isMirrored,
                        pixelAspectRatio: aspect
                    )
                    let ways = Self.ways(Self.oddSizes.samples)
                    problems += await LayerPicture.problems(
                        Self.fixture("odd-size-vp9.webm"),
                        ways,
                        marks: marks
                    )
                }
            }
        }
        #expect(problems == [])
    }

    @Test(
        "Bars of RGB sinks are black at odd rows and columns too, for every rotation",
        .enabled(if: areThere, "make fixtures"),
        arguments: [PixelFormat.rgb24, .rgba]
    )
    func rgbBars(_ format: PixelFormat) async throws {
        for rotation in MediaCore.Rotation.allCases {
            let ways = Self.oddSizes.map { LayerPicture.Way(size: $0, gravity: .resizeAspect) }
            let shown = try #require(
                await LayerPicture.first(
                    Self.fixture("odd-size-vp9.webm"),
                    ways,
                    marks: LayerPicture.Marks(rotation: rotation),
                    pixelFormats: [format]
                )
            )
            for one in shown {
                let geometry = VideoGeometry(one.shape, gravity: .resizeAspect, target: one.frame.size)
                let step = format == .rgb24 ? 3 : 4
                let bytes = packedBytes(of: one.frame)
                for bar in geometry.bars {
                    let brightest = (bar.y..<(bar.y + bar.height)).map { row in
                        let start = (row * one.frame.size.width + bar.x) * step
                        return bytes[start..<start + bar.width * step].max() ?? 0
                    }
                    #expect(brightest.allSatisfy { $0 == 0 }, "\(rotation) \(geometry)")
                }
            }
        }
    }

    @Test(
        "Real files are shown as ffmpeg's filters render them",
        .enabled(if: Corpus.isPresent, Corpus.hint),
        arguments: [
            "h264/camera-fire-720p-rot180.mp4", "h264/rotate-and-mirror-matrix.mp4",
            "h264/portrait-720x1080.mp4", "hevc/iphone-hlg-10bit-editlist-rot90.mp4",
            "hevc/metadata-track-first-rot90.mp4", "h264/bpyramid-3b-sar64x45-800x640.mp4",
            "h264/full-range-518x488.mp4", "h264/one-pixel-1x1-yuv444.mp4", "vp9/odd-dimensions.webm",
            "prores/prores-422-180x144-aac.mov",
        ]
    )
    func corpus(_ path: String) async throws {
        let location = try Corpus.entry(path).location
        #expect(
            await LayerPicture.problems(location, Self.ways(LayerPicture.sizes)) == []
        )
    }
}
