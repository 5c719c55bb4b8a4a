package import Foundation

/// The media files that `media-fixtures/make.sh` creates.
package enum Fixture {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("media-fixtures/generated")

    package static func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
    package static func path(_ name: String) -> String { url(name).path }

    /// Returns the MD5 of each frame that FFmpeg's bwdif filter creates from an interlaced clip.
    package static func deinterlaced(_ name: String) throws -> [String] {
        let text = try String(contentsOf: url(name + ".bwdif.framemd5"), encoding: .utf8)
        return frameHashes(text)
    }

    /// Returns the hashes in the output of the framemd5 muxer.
    package static func frameHashes(_ text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: " ").last.map(String.init) }
    }

    /// Whether `make fixtures` has been run. Always true in continuous integration.
    package static let areThere = FileManager.default.fileExists(atPath: path("clip-h264-aac.mp4"))
}
