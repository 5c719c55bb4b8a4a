import MediaCore
import PlaybackEngine
import PlayheadBackend

/// How many players want bytes more urgently than anybody who only prepares: those whose item is to play, and waits or
/// is not likely to keep up. All players of the machine's clock share one; those of any other driver share one of their own.
final class LoadPriorityGate: Sendable {
    private struct State {
        var hungry = 0
        var listeners: [UInt64: @Sendable () -> Void] = [:]
        var ids: UInt64 = 0
    }

    private struct Weak {
        weak var loadPriorityGate: LoadPriorityGate?
    }

    private static let ofMachine = LoadPriorityGate()
    private static let others = Locked<[ObjectIdentifier: Weak]>([:])

    private let state = Locked(State())

    /// Of those whose time is that driver's. It is forgotten with its last user, who holds the driver too.
    static func of(_ driver: any Driver) -> LoadPriorityGate {
        if driver is PoolDriver { return ofMachine }
        return others.withLock { others in
            let key = ObjectIdentifier(driver)
            if let known = others[key]?.loadPriorityGate { return known }
            let made = LoadPriorityGate()
            others = others.filter { $0.value.loadPriorityGate != nil }
            others[key] = Weak(loadPriorityGate: made)
            return made
        }
    }

    var needsData: Bool { state.withLock { $0.hungry > 0 } }

    /// `handler` is called, on any thread, when the first player becomes hungry and when the last one is not any more.
    func listen(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.ids += 1
            state.listeners[state.ids] = handler
            return state.ids
        }
    }

    func stopListening(_ id: UInt64) {
        // What it holds is let go of outside.
        let handler = state.withLock { $0.listeners.removeValue(forKey: id) }
        withExtendedLifetime(handler) {}
    }

    /// Who is to be told of it.
    fileprivate func add(_ change: Int) -> [@Sendable () -> Void] {
        state.withLock { state in
            let was = state.hungry > 0
            state.hungry += change
            return was == (state.hungry > 0) ? [] : state.listeners.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

/// Whether one player is hungry. Any thread.
final class PlaybackLoadClaim: Sendable {
    private let loadPriorityGate: LoadPriorityGate
    private let state = Locked((needsData: false, isOver: false))

    init(_ driver: any Driver) { loadPriorityGate = LoadPriorityGate.of(driver) }

    deinit { end() }

    func set(_ needsData: Bool) { change { $0.needsData = needsData } }

    /// The player is released.
    func end() { change { $0 = (false, true) } }

    private func change(_ body: (inout (needsData: Bool, isOver: Bool)) -> Void) {
        let told = state.withLock { state -> [@Sendable () -> Void] in
            guard !state.isOver else { return [] }
            let was = state.needsData
            body(&state)
            return was == state.needsData ? [] : loadPriorityGate.add(state.needsData ? 1 : -1)
        }
        for handler in told { handler() }
    }
}

extension PlaybackSnapshot {
    /// It is to play, and what it has is not enough.
    var needsData: Bool {
        itemID != nil && itemStatus != .failed && timeControl != .paused && !level.isLikelyToKeepUp
    }
}
