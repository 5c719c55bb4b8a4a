/// A value that is set once. Later values are ignored. It may be used from any thread.
package final class Latch<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case open(Value)
    }
    private let state = Locked(State.empty)

    package init() {}

    /// Sets the value and resumes the waiting caller.
    package func open(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
            defer { if case .open = state {} else { state = .open(value) } }
            if case .awaited(let waiter) = state { return waiter }
            return nil
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value. At most one caller may wait.
    package func wait() async -> Value {
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
