import Foundation
import TestSupport
import Testing

@Suite("System limits", .enabled(if: Media.isMade))
struct LimitTests {
    /// True under a leak sanitizer, which opens files at exit.
    private static let command =
        #"ulimit -n "$1"; ASAN_OPTIONS=detect_leaks=0 "$vplay" --untimed --quiet --audio none --video null "$2""#

    @Test("With few descriptors the command either plays or reports the limit in one message")
    func descriptors() async throws {
        let server = try FaultServer([UInt8](try Data(contentsOf: URL(fileURLWithPath: Media.clip))))
        defer { server.stop() }
        for input in [Media.clip, server.url()] {
            var played: [Int] = []
            let limits = Array(stride(from: 6, through: 48, by: 3))
            for limit in limits {
                let outcome = try await Command.shell(Self.command, "\(limit)", input)
                if outcome.status == 0 {
                    played.append(limit)
                    continue
                }
                #expect(outcome.status == 1 && outcome.signal == nil, "\(limit): \(outcome.errors)")
                #expect(outcome.errorLines.count == 1)
                #expect(outcome.errors.contains("Too many open files"), "\(limit): \(outcome.errors)")
            }
            // Higher limits must be sufficient as well.
            #expect(played == limits.suffix(played.count) && played.contains(48) && !played.contains(6))
        }
    }

    @Test(
        "Standard input or output that is closed is an error, and nothing else gets its number",
        arguments: [#"exec "$vplay" bench - <&-"#, #"exec "$vplay" bench "$1" >&-"#]
    )
    func closedDescriptors(line: String) async throws {
        let outcome = try await Command.shell(line, Media.clip)
        #expect(outcome.status == 1 && outcome.signal == nil, "\(outcome.errors)")
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("Bad file descriptor"), "\(outcome.errors)")
    }
}
