import Foundation
import MediaCore
import PlayheadBackend

/// What has happened on a bench, a line each.
struct TestJournal {
    var lines: [String] = []
    /// How many of them a test has taken.
    var takenCount = 0

    static func writer(_ journal: Locked<TestJournal>) -> @Sendable (String) -> Void {
        { line in journal.withLock { $0.lines.append(line) } }
    }
}
