package import Foundation

/// Files that `media-fixtures/make.sh` makes.
package enum Fixture {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("media-fixtures/generated")

    package static func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
    package static func path(_ name: String) -> String { url(name).path }

    /// `make fixtures` was run, as it always is in continuous integration.
    package static let areThere = FileManager.default.fileExists(atPath: path("clip-h264-aac.mp4"))
}
