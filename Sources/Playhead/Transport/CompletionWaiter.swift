import MediaCore

/// A continuation that is resumed once: with the result, or with false when its task is cancelled, whichever happens
/// first. It may be used from any thread.
private final class CompletionWaiter: Sendable {
    private enum State {
        /// Neither a continuation nor a result is available yet.
        case idle
        case waiting(CheckedContinuation<Bool, Never>)
        case completed(Bool)
    }
    private let state = Locked(State.idle)

    func wait(_ continuation: CheckedContinuation<Bool, Never>) {
        let known = state.withLock { state -> Bool? in
            if case .completed(let result) = state { return result }
            state = .waiting(continuation)
            return nil
        }
        if let known { continuation.resume(returning: known) }
    }

    func complete(_ result: Bool) {
        let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            switch state {
            case .completed: return nil
            case .idle:
                state = .completed(result)
                return nil
            case .waiting(let continuation):
                state = .completed(result)
                return continuation
            }
        }
        continuation?.resume(returning: result)
    }
}

/// Waits for the completion handler that is passed to `begin`.
///
/// - Parameter begin: Starts an operation with a completion handler.
/// - Returns: The value that the handler gets, or false at once if the task is cancelled first. The operation continues
///   then.
func awaitCompletion(_ begin: (@escaping @Sendable (Bool) -> Void) -> Void) async -> Bool {
    let waiter = CompletionWaiter()
    begin { waiter.complete($0) }
    return await withTaskCancellationHandler {
        await withCheckedContinuation { waiter.wait($0) }
    } onCancel: {
        waiter.complete(false)
    }
}
