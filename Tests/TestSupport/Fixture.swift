package import Foundation

/// Files that `media-fixtures/make.sh` makes.
package enum Fixture {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("media-fixtures/generated")

    package static func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
    package static func path(_ name: String) -> String { url(name).path }

    /// What FFmpeg's bwdif makes of an interlaced clip: the MD5 of each frame.
    package static func deinterlaced(_ name: String) throws -> [String] {
        let text = try String(contentsOf: url(name + ".bwdif.framemd5"), encoding: .utf8)
        return frameHashes(text)
    }

    /// Of a text as the framemd5 muxer writes it.
    package static func frameHashes(_ text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: " ").last.map(String.init) }
    }

    /// `make fixtures` was run, as it always is in continuous integration.
    package static let areThere = FileManager.default.fileExists(atPath: path("clip-h264-aac.mp4"))
}
