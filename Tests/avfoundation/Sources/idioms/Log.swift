import Foundation

/// The lines that an idiom writes. An idiom waits for lines, not for time.
///
/// `@unchecked Sendable`: the lock guards the lines and the waiting task.
final class Log: @unchecked Sendable {
    private let name: String
    private let lock = NSLock()
    private var lines: [String] = []
    private var awaited: (line: String, continuation: CheckedContinuation<Void, Never>)?

    init(_ name: String) { self.name = name }

    func add(_ line: String) {
        let continuation: CheckedContinuation<Void, Never>? = lock.withLock {
            lines.append(line)
            guard awaited?.line == line else { return nil }
            defer { awaited = nil }
            return awaited?.continuation
        }
        continuation?.resume()
    }

    /// Adds a line unless it was added before.
    func addOnce(_ line: String) {
        if !lock.withLock({ lines.contains(line) }) { add(line) }
    }

    /// Returns once a line has been added.
    func wait(for line: String) async {
        await withCheckedContinuation { continuation in
            let isThere = lock.withLock {
                if lines.contains(line) { return true }
                awaited = (line, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Prints whether the lines are the expected ones.
    ///
    /// - Parameter expected: The lines.
    /// - Returns: False if they are not.
    func check(_ expected: [String]) -> Bool {
        let lines = lock.withLock { self.lines }
        print(
            lines == expected ? "ok: \(name)" : "FAILED: \(name)\n  expected \(expected)\n  found    \(lines)"
        )
        return lines == expected
    }
}
