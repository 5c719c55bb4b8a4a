import MediaCore
import Playhead

/// The closures that are called after a property of an object has been set.
final class ChangeHandlers: Sendable {
    private struct State: Sendable {
        var handlers: [(id: UInt64, body: @Sendable () -> Void)] = []
        var lastID: UInt64 = 0
    }
    private let state = Locked(State())

    /// Adds a closure, which is removed with the token.
    func add(_ body: @escaping @Sendable () -> Void) -> ObservationToken {
        let id = state.withLock { state in
            state.lastID += 1
            state.handlers.append((state.lastID, body))
            return state.lastID
        }
        return ObservationToken { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        // The closure is released outside the lock, because its release may remove another one or set a property.
        let dropped = state.withLock { state in
            defer { state.handlers = state.handlers.filter { $0.id != id } }
            return state.handlers
        }
        withExtendedLifetime(dropped) {}
    }

    /// Calls the closures in the order in which they were added. One that an earlier one has removed is not called.
    func notify() {
        for handler in state.withLock({ $0.handlers }) {
            let isRegistered = state.withLock { state in state.handlers.contains { $0.id == handler.id } }
            if isRegistered { handler.body() }
        }
    }
}
