import Foundation
import Playhead
import PlayheadTesting
import Synchronization
import Testing

/// A run of an example on a clock that the test moves, and what it prints.
///
/// The expected lines are in `docs/examples/expected`. Run the tests with `PLAYHEAD_WRITE_EXPECTED=1` to write these files.
final class Script: Sendable {
    let driver = ManualDriver(settlesByItself: true)
    private let text = Mutex("")

    /// The configuration of the players.
    var configuration: Player.Configuration {
        var configuration = Player.Configuration()
        configuration.clock = .driver(driver)
        return configuration
    }

    func print(_ words: String...) { text.withLock { $0 += words.joined(separator: " ") + "\n" } }

    func seconds(_ time: HostTime) -> String { String(format: "%4.1f s", Double(time.nanoseconds) / 1e9) }
    var now: String { seconds(driver.now) }

    /// Compares what was printed.
    func expect(_ name: String) throws {
        let url = Media.root.appendingPathComponent("docs/examples/expected/\(name).txt")
        let printed = text.withLock { $0 }
        if ProcessInfo.processInfo.environment["PLAYHEAD_WRITE_EXPECTED"] != nil {
            try printed.write(to: url, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: url, encoding: .utf8)
        for (line, wanted) in zip(printed.split(separator: "\n"), expected.split(separator: "\n"))
        where line != wanted {
            Issue.record("\(name): printed \"\(line)\", expected \"\(wanted)\"")
            return
        }
        #expect(printed.split(separator: "\n").count == expected.split(separator: "\n").count)
    }
}

/// The clips of `make fixtures`.
enum Media {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static func clip(_ name: String) -> URL {
        root.appendingPathComponent("media-fixtures/generated/\(name)")
    }
    static let h264 = clip("clip-h264-aac.mp4")
    static let vfr = clip("vfr.mp4")
    static let av1 = clip("clip-av1-aac.mp4")
    static let exists = FileManager.default.fileExists(atPath: h264.path)
}

/// A folder that is removed with the test.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "playhead-demo-\(UUID().uuidString)"
    )

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit {
        do { try FileManager.default.removeItem(at: url) } catch { Issue.record("\(error)") }
    }
}
