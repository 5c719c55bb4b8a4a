internal import MediaCore

/// The limit for the received bytes of all resources in memory.
///
/// Bytes that readers need next are always kept. Beyond the limit, resources without readers are evicted first. Then
/// each resource with more than its share is trimmed.
final class NetworkMemory: Sendable {
    static let shared = NetworkMemory(byteLimit: 64 << 20) { isSatisfied in
        HTTPResourcePool.shared.evictUnused(until: isSatisfied)
    }

    private struct Member {
        weak var source: (any MemoryHolder)?
    }

    private struct State {
        var byteCount = 0
        var members: [ObjectIdentifier: Member] = [:]
        var isTrimming = false
    }

    private let byteLimit: Int
    /// Evicts resources without readers until the given condition holds.
    private let evictUnused: @Sendable (_ isSatisfied: () -> Bool) -> Void
    private let state = Locked(State())

    init(byteLimit: Int, evictUnused: @escaping @Sendable (_ isSatisfied: () -> Bool) -> Void) {
        self.byteLimit = byteLimit
        self.evictUnused = evictUnused
    }

    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Adds a source that can be trimmed.
    func add(_ source: any MemoryHolder) {
        state.withLock { $0.members[ObjectIdentifier(source)] = Member(source: source) }
    }

    /// Removes a source that is being deallocated.
    func remove(_ source: ObjectIdentifier) { state.withLock { $0.members[source] = nil } }

    /// Adds to the number of bytes in memory. Called with locks of sources held, so trimming happens on the thread of
    /// the transfer loop.
    func adjust(by change: Int) {
        let mustTrim = state.withLock { state in
            state.byteCount += change
            guard state.byteCount > byteLimit, change > 0, !state.isTrimming else { return false }
            state.isTrimming = true
            return true
        }
        guard mustTrim else { return }
        do throws(MediaError) {
            try TransferLoop.shared.call(after: 0) { self.trim() }
        } catch {
            // Without that thread no more bytes arrive.
            state.withLock { $0.isTrimming = false }
        }
    }

    /// Evicts resources without readers, and trims the others.
    private func trim() {
        evictUnused { byteCount <= byteLimit }
        // The sources are released outside the lock, because a deinitializer calls `remove`.
        let sources = state.withLock { $0.members.values.compactMap(\.source) }
        if byteCount > byteLimit {
            for source in sources { source.trim(to: byteLimit / max(1, sources.count)) }
        }
        state.withLock { $0.isTrimming = false }
    }
}
