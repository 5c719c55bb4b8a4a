import MediaCore

/// A continuation that is resumed once: by the answer, or with false when its task is cancelled, whichever comes
/// first and from whatever thread.
private final class AnswerWaiter: Sendable {
    private enum State {
        /// Nobody waits yet.
        case early
        case waiting(CheckedContinuation<Bool, Never>)
        case answered(Bool)
    }
    private let state = Locked(State.early)

    func wait(_ continuation: CheckedContinuation<Bool, Never>) {
        let known = state.withLock { state -> Bool? in
            if case .answered(let answer) = state { return answer }
            state = .waiting(continuation)
            return nil
        }
        if let known { continuation.resume(returning: known) }
    }

    func answer(_ answer: Bool) {
        let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            switch state {
            case .answered: return nil
            case .early:
                state = .answered(answer)
                return nil
            case .waiting(let continuation):
                state = .answered(answer)
                return continuation
            }
        }
        continuation?.resume(returning: answer)
    }
}

/// What `begin` hands to the handler that it is given. Where the task is cancelled before that: false, at once; what
/// was begun goes on.
func answer(_ begin: (@escaping @Sendable (Bool) -> Void) -> Void) async -> Bool {
    let waiter = AnswerWaiter()
    begin { waiter.answer($0) }
    return await withTaskCancellationHandler {
        await withCheckedContinuation { waiter.wait($0) }
    } onCancel: {
        waiter.answer(false)
    }
}
