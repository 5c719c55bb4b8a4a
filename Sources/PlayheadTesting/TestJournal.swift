import Foundation
import MediaCore
import PlayheadBackend

/// The lines of a bench.
struct TestJournal {
    var lines: [String] = []
    /// The number of lines that the test has read.
    var takenCount = 0

    static func writer(_ journal: Locked<TestJournal>) -> @Sendable (String) -> Void {
        { line in journal.withLock { $0.lines.append(line) } }
    }
}
