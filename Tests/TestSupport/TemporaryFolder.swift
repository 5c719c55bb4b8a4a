package import Foundation

/// A folder for one test. It is removed with its content when the object is released.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("playhead-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: url) } catch { print("\(url.path) stays: \(error)") }
    }

    package var path: String { url.path }

    /// Returns the URL of a file with this name.
    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }
    package func path(_ name: String) -> String { file(name).path }

    /// Writes a file. Creates the folders in `name`.
    package func write(_ name: String, _ bytes: some DataProtocol) throws {
        let file = file(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(bytes).write(to: file)
    }
}
