import Synchronization

/// A value that is set once. Later values are ignored.
final class Latch<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case open(Value)
    }
    private let state = Mutex(State.empty)

    /// Sets the value and resumes the waiting caller.
    func open(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
            defer { if case .open = state {} else { state = .open(value) } }
            if case .awaited(let waiter) = state { return waiter }
            return nil
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value. At most one caller may wait.
    func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .open(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
