import Foundation
import Playhead
import PlayheadTesting
import TestSupport

/// A folder with HLS playlists of the fixture clip: 90 frames in three segments of one second, in three sizes.
final class Playlists {
    struct Rendering {
        let name: String
        let size: PixelSize
        let bitRate: Int
    }

    /// The variants in the playlist's order, in which neither the best nor the smallest one is first.
    static let renderings = [
        Rendering(name: "mid", size: PixelSize(width: 320, height: 180), bitRate: 300_000),
        Rendering(name: "low", size: PixelSize(width: 160, height: 90), bitRate: 100_000),
        Rendering(name: "high", size: PixelSize(width: 640, height: 360), bitRate: 900_000),
    ]

    private let folder: TemporaryFolder
    var master: URL { url("master.m3u8") }

    init() throws {
        folder = try TemporaryFolder()
        for (name, bytes) in try Self.files.get() { try write(name, Data(bytes)) }
        let lines = Self.renderings.map {
            "#EXT-X-STREAM-INF:BANDWIDTH=\($0.bitRate)\n\($0.name)/list.m3u8\n"
        }
        try write("master.m3u8", Data("#EXTM3U\n\(lines.joined())".utf8))
    }

    func write(_ name: String, _ bytes: Data) throws { try folder.write(name, bytes) }
    func url(_ name: String) -> URL { folder.file(name) }

    /// The segments, encoded once. They are arrays because the leak sanitizer does not follow references inside `Data`.
    private static let files = Result { try encode() }

    private static func encode() throws -> [String: [UInt8]] {
        let folder = try TemporaryFolder()
        var result: [String: [UInt8]] = [:]
        for rendering in renderings {
            let rendition = folder.file(rendering.name)
            try FileManager.default.createDirectory(at: rendition, withIntermediateDirectories: true)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.currentDirectoryURL = rendition
            let (width, height) = (rendering.size.width, rendering.size.height)
            let options = """
                ffmpeg -nostdin -v error -vf scale=\(width):\(height) -c:v libx264 -preset ultrafast -threads 1
                -g 30 -keyint_min 30 -sc_threshold 0 -c:a copy
                -f hls -hls_time 1 -hls_list_size 0 -hls_segment_filename %d.ts list.m3u8
                """
            var arguments = options.split(whereSeparator: \.isWhitespace).map(String.init)
            arguments.insert(contentsOf: ["-i", Fixture.url("clip-h264-aac.mp4").path], at: 4)
            process.arguments = arguments
            try process.run()
            process.waitUntilExit()
            for file in try FileManager.default.contentsOfDirectory(atPath: rendition.path) {
                let bytes = try Data(contentsOf: rendition.appendingPathComponent(file))
                result["\(rendering.name)/\(file)"] = [UInt8](bytes)
            }
        }
        return result
    }
}
