import Dispatch
import MediaCore

/// An error that reports that an awaited event has not happened in time.
struct TimeLimitError: Error, CustomStringConvertible {
    let what: String
    var description: String { "overdue: \(what)" }
}

/// Returns the result of `body`, which runs on other threads. A wait without an end fails the test instead of hanging
/// it.
func within<Value: Sendable>(
    seconds: Int = 60,
    _ what: String,
    _ body: @escaping @Sendable () async -> Value
) async throws -> Value {
    let waiting = Locked<CheckedContinuation<Value, any Error>?>(nil)
    return try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        // The first of the two tasks to finish provides the result.
        let answer: @Sendable (Result<Value, any Error>) -> Void = { result in
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            continuation?.resume(with: result)
        }
        Task { answer(.success(await body())) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) {
            answer(.failure(TimeLimitError(what: what)))
        }
    }
}
