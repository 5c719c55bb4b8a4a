import Foundation
import Testing

/// `--mpris` on a session bus of its own, with playerctl as the client.
@Suite("MPRIS", .enabled(if: Media.isMade && PlayerClients.areInstalled))
struct MPRISTests {
    @Test("Clients of a desktop control playback and are notified of changes")
    func checks() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("check-mpris.py")
        let outcome = try await Command.shell(#"exec python3 "$1" "$vplay""#, script.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasSuffix(", 0 failed\n"))
    }
}

private enum PlayerClients {
    static let areInstalled: Bool = {
        let needed = ["python3", "dbus-run-session", "dbus-send", "dbus-monitor", "playerctl"]
        let missing = needed.filter { !Terminal.hasCommand($0) }
        if !missing.isEmpty {
            print("\(missing.joined(separator: ", ")) missing: tests of MPRIS are skipped")
        }
        return missing.isEmpty
    }()
}
