import Dispatch
import MediaCore

/// Something that a test waited for has not come.
struct Overdue: Error, CustomStringConvertible {
    let what: String
    var description: String { "overdue: \(what)" }
}

/// What `body` comes to, on other threads. A wait that has no end fails the test, and does not hang it.
func within<Value: Sendable>(
    seconds: Int = 20,
    _ what: String,
    _ body: @escaping @Sendable () async -> Value
) async throws -> Value {
    let waiting = Locked<CheckedContinuation<Value, any Error>?>(nil)
    return try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        // Whoever comes first answers.
        let answer: @Sendable (Result<Value, any Error>) -> Void = { result in
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            continuation?.resume(with: result)
        }
        Task { answer(.success(await body())) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) {
            answer(.failure(Overdue(what: what)))
        }
    }
}
