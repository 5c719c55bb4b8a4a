internal import MediaCore

/// What bytes of all resources may take of this process's memory, together.
///
/// Each resource keeps what its readers need next, whatever that takes. Beyond it those that nobody reads go first, and then
/// each that has more than its fair part gives back.
final class NetworkMemory: Sendable {
    static let shared = NetworkMemory(byteLimit: 64 << 20)

    private struct Member {
        weak var source: HTTPByteSource?
    }

    private struct State {
        var byteCount = 0
        var members: [ObjectIdentifier: Member] = [:]
        var isTrimming = false
    }

    private let byteLimit: Int
    private let state = Locked(State())

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    var byteCount: Int { state.withLock { $0.byteCount } }

    func add(_ source: HTTPByteSource) {
        state.withLock { $0.members[ObjectIdentifier(source)] = Member(source: source) }
    }

    func remove(_ source: ObjectIdentifier) { state.withLock { $0.members[source] = nil } }

    /// More, or less, is held now. Called with locks of sources held, so what follows from it happens elsewhere.
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
            // Without the thread nothing comes that would take more.
            state.withLock { $0.isTrimming = false }
        }
    }

    private func trim() {
        HTTPResourcePool.shared.evictUnused(until: { self.byteCount <= self.byteLimit })
        // They are let go of behind the lock: one that ends here says so under it.
        let sources = state.withLock { $0.members.values.compactMap(\.source) }
        if byteCount > byteLimit {
            for source in sources { source.trim(to: byteLimit / max(1, sources.count)) }
        }
        state.withLock { $0.isTrimming = false }
    }
}
