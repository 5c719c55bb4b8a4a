import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Counts the players that need data for playback, so that preloading can be suspended meanwhile: players whose item
/// should play and is waiting, or is not likely to keep up. All players in real time share one gate, and so do the
/// players of any other driver.
final class LoadPriorityGate: Sendable {
    private struct State {
        var claimCount = 0
        var listeners: [UInt64: @Sendable () -> Void] = [:]
        var ids: UInt64 = 0
    }

    private static let realTime = LoadPriorityGate()
    private static let byDriver = Locked<[ObjectIdentifier: WeakReference<LoadPriorityGate>]>([:])

    private let state = Locked(State())

    /// Returns the gate for the players of a driver. It exists as long as it is used; its users retain the driver.
    static func gate(for driver: any Driver) -> LoadPriorityGate {
        if driver.sharesThreads { return realTime }
        return byDriver.withLock { byDriver in
            let key = ObjectIdentifier(driver)
            if let known = byDriver[key]?.object { return known }
            let made = LoadPriorityGate()
            byDriver = byDriver.filter { $0.value.object != nil }
            byDriver[key] = WeakReference(made)
            return made
        }
    }

    var needsData: Bool { state.withLock { $0.claimCount > 0 } }

    /// Adds a handler, which is called on an arbitrary thread when the first player needs data, and when none needs
    /// data any more.
    func addListener(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.ids += 1
            state.listeners[state.ids] = handler
            return state.ids
        }
    }

    func removeListener(_ id: UInt64) {
        // The handler is released outside the lock.
        let handler = state.withLock { $0.listeners.removeValue(forKey: id) }
        withExtendedLifetime(handler) {}
    }

    /// Changes the number of claims.
    ///
    /// - Returns: The handlers to call.
    fileprivate func adjust(by change: Int) -> [@Sendable () -> Void] {
        state.withLock { state in
            let was = state.claimCount > 0
            state.claimCount += change
            return was == (state.claimCount > 0)
                ? [] : state.listeners.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

/// Whether one player needs data. It may be used from any thread.
final class PlaybackLoadClaim: Sendable {
    private let gate: LoadPriorityGate
    private let state = Locked((needsData: false, hasEnded: false))

    init(_ driver: any Driver) { gate = LoadPriorityGate.gate(for: driver) }

    deinit { end() }

    func set(_ needsData: Bool) { change { $0.needsData = needsData } }

    /// Withdraws the claim when the player is released.
    func end() { change { $0 = (false, true) } }

    private func change(_ body: (inout (needsData: Bool, hasEnded: Bool)) -> Void) {
        let listeners = state.withLock { state -> [@Sendable () -> Void] in
            guard !state.hasEnded else { return [] }
            let was = state.needsData
            body(&state)
            return was == state.needsData ? [] : gate.adjust(by: state.needsData ? 1 : -1)
        }
        for handler in listeners { handler() }
    }
}

extension PlaybackSnapshot {
    /// Whether the item should play and does not have enough data.
    var needsData: Bool {
        itemID != nil && itemStatus != .failed && timeControl != .paused && !level.isLikelyToKeepUp
    }
}
