import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The observers of one object, which are notified in the order in which they were added.
final class ObserverList: Sendable {
    typealias Call = @Sendable (ChangeNotification) -> Void

    private struct State {
        /// The observers. The array is replaced and never changed in place, because the thread sanitizer does not see
        /// that readers have released their copy.
        var entries: [(id: UInt64, call: Call)] = []
        var ids: UInt64 = 0
        var isClosed = false
    }
    private let state = Locked(State())

    /// Adds an observer.
    ///
    /// - Returns: A token that removes the observer.
    func add(_ call: @escaping Call) -> ObservationToken {
        let id = state.withLock { state in
            state.ids += 1
            if !state.isClosed { state.entries = state.entries + [(state.ids, call)] }
            return state.ids
        }
        return ObservationToken { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        // The closure is released outside the lock, because its release may remove another observer from this list.
        let dropped = state.withLock { state in
            defer { state.entries = state.entries.filter { $0.id != id } }
            return state.entries
        }
        _ = dropped
    }

    /// Notifies the observers. An observer that was removed by an earlier one is not notified.
    func notify(_ notification: ChangeNotification) {
        for entry in state.withLock({ $0.entries }) {
            let isRegistered = state.withLock { state in state.entries.contains { $0.id == entry.id } }
            if isRegistered { entry.call(notification) }
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
