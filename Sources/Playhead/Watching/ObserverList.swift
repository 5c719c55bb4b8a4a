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

/// What can be observed by key path: a player, an item, a layer.
protocol Watchable: AnyObject, Sendable {
    var observers: ObserverList { get }
    /// Where handlers run; nil while no player stands behind the object.
    var callbackLane: (any Lane)? { get }
    /// The newest moment that was handed on to be told.
    var newestMoment: ObservedSnapshot? { get }
}

extension Watchable {
    func watch<Value: Equatable & Sendable>(
        _ path: any (KeyPath<Self, Value> & Sendable),
        _ options: ObservationOptions,
        _ handler: @escaping @Sendable (Self, ObservedChange<Value>) -> Void
    ) -> ObservationToken {
        let box = LastValue(newestMoment, wantsInitial: options.contains(.initial)) { [self] in
            self[keyPath: path]
        }
        let begin: @Sendable (Self) -> Void = { object in
            guard let value = box.takeInitial() else { return }
            let new = options.contains(.new) ? value : nil
            handler(object, ObservedChange(oldValue: nil, newValue: new))
        }
        let token = observers.add { [weak self] telling in
            guard let self else { return }
            // An event may come to the callback queue before the first call does.
            begin(self)
            let new = telling.moment.during { self[keyPath: path] }
            guard let old = box.exchange(new, at: telling.moment.sequence) else { return }
            handler(
                self,
                ObservedChange(
                    oldValue: options.contains(.old) ? old : nil,
                    newValue: options.contains(.new) ? new : nil
                )
            )
        }
        if let lane = callbackLane {
            lane.enqueue { [weak self, weak token] in
                if let self, let token, token.isValid { begin(self) }
            }
        } else {
            begin(self)
        }
        return token
    }
}

/// The value that an observer was told last.
private final class LastValue<Value: Equatable & Sendable>: Sendable {
    private struct State {
        var value: Value
        var sequence: UInt64
        var owesInitial: Bool
    }
    private let state: Locked<State>

    init(_ moment: ObservedSnapshot?, wantsInitial: Bool, _ read: () -> Value) {
        let value = moment?.during(read) ?? read()
        state = Locked(
            State(value: value, sequence: moment?.sequence ?? 0, owesInitial: wantsInitial)
        )
    }

    func takeInitial() -> Value? {
        state.withLock { state in
            guard state.owesInitial else { return nil }
            state.owesInitial = false
            return state.value
        }
    }

    /// The value before; nil when nothing changed, or the news is older than the observer.
    func exchange(_ new: Value, at sequence: UInt64) -> Value? {
        state.withLock { state in
            guard sequence > state.sequence else { return nil }
            state.sequence = sequence
            guard state.value != new else { return nil }
            defer { state.value = new }
            return state.value
        }
    }
}
