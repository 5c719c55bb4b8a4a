import Foundation
import TestSupport
import Testing

@Suite("Hosts of URLs", .enabled(if: Media.isMade))
struct HostTests {
    // The command contains no tables of Unicode, unlike the process of the tests.
    @Test("A host beyond ASCII is converted before a request is sent")
    func international() async throws {
        let server = try FaultServer([UInt8](try Data(contentsOf: URL(fileURLWithPath: Media.clip))))
        defer { server.stop() }
        let url = server.url().replacingOccurrences(of: "127", with: "１２７")
        let outcome = try await Command.run([
            "--untimed", "--audio", "none", "--video", "framemd5:-", url,
        ])
        let expected = try await Command.run([
            "--untimed", "--audio", "none", "--video", "framemd5:-", Media.clip,
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == expected.output && !outcome.output.isEmpty)
    }
}
