import MediaCore

/// The observers by string of one object. Those whose observer was released are removed at the next event of the object,
/// and by the time that their number has doubled.
final class KeyValueRegistrations: Sendable {
    private struct State: Sendable {
        var entries: [KeyValueRegistration] = []
        /// The number of entries at which the next addition removes those of released observers.
        var limit = KeyValueRegistrations.minimumLimit
    }
    private static let minimumLimit = 16
    private let state = Locked(State())

    /// The number of entries.
    var count: Int { state.withLock { $0.entries.count } }

    func add(_ registration: KeyValueRegistration) {
        // The observers that are loaded are released outside the lock, because their deinitializers may remove them.
        let (released, loaded) = state.withLock { state in
            defer { state.entries.append(registration) }
            guard state.entries.count >= state.limit else {
                return ([KeyValueRegistration](), [(any NSKeyValueObserving)?]())
            }
            let observers = state.entries.map(\.observer)
            let released = zip(state.entries, observers).filter { $1 == nil }.map(\.0)
            state.entries = zip(state.entries, observers).filter { $1 != nil }.map(\.0)
            state.limit = max(KeyValueRegistrations.minimumLimit, 2 * state.entries.count)
            return (released, observers)
        }
        withExtendedLifetime(loaded) {}
        for registration in released { registration.end() }
    }

    /// Ends the registration that was added last among those that match.
    ///
    /// - Returns: False if there is none.
    func removeLast(where matches: (KeyValueRegistration) -> Bool) -> Bool {
        let found = state.withLock { state in
            state.entries.lastIndex(where: matches).map { state.entries.remove(at: $0) }
        }
        found?.end()
        return found != nil
    }
}
