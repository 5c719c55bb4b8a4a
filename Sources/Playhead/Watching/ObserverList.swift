import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Observers of one object, told in the order in which they came.
final class ObserverList: Sendable {
    typealias Call = @Sendable (ChangeNotification) -> Void

    private struct State {
        /// Never changed in place: the thread sanitizer does not see that those who read a copy have let go of it.
        var entries: [(id: UInt64, call: Call)] = []
        var ids: UInt64 = 0
        var isClosed = false
    }
    private let state = Locked(State())

    /// The token takes the observer out again.
    func add(_ call: @escaping Call) -> ObservationToken {
        let id = state.withLock { state in
            state.ids += 1
            if !state.isClosed { state.entries = state.entries + [(state.ids, call)] }
            return state.ids
        }
        return ObservationToken { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        // Released outside the lock: the closure may hold what takes itself out of this list when it goes.
        let dropped = state.withLock { state in
            defer { state.entries = state.entries.filter { $0.id != id } }
            return state.entries
        }
        _ = dropped
    }

    /// One that an earlier one has taken out is not called any more.
    func tell(_ telling: ChangeNotification) {
        for entry in state.withLock({ $0.entries }) {
            let isThere = state.withLock { state in state.entries.contains { $0.id == entry.id } }
            if isThere { entry.call(telling) }
        }
    }

    func close() {
        let dropped = state.withLock { state in
            defer {
                state.entries = []
                state.isClosed = true
            }
            return state.entries
        }
        _ = dropped
    }
}
