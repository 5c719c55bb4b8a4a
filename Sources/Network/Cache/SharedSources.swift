internal import MediaCore

/// The resources of the process: whoever opens a URL as somebody else does reads what that one has read, each byte fetched once.
///
/// A resource that nobody reads any more stays for a while, as far as its bytes find room. Before it is handed out again the server is
/// asked whether it has changed.
final class SharedSources: Sendable {
    static let shared = SharedSources()

    /// What must be the same, so that a server would answer the same.
    struct Key: Hashable, Sendable {
        let address: HTTPAddress
        let options: NetworkOptions
        /// What a public server has named is under other rules.
        let isNestedInPublic: Bool
    }

    private struct Slot {
        var source: HTTPByteSource?
        var opening: SharedOpening?
        /// How many hold the source.
        var users = 0
        var lastUse: UInt64 = 0
    }

    private struct State {
        var slots: [Key: Slot] = [:]
        var uses: UInt64 = 0
    }

    enum Found: Sendable {
        case source(HTTPByteSource, isLocal: Bool)
        case opening(SharedOpening)
    }

    private let state = Locked(State())
    /// Of resources that nobody reads.
    private static let unusedByteLimit = 32 << 20
    private static let unusedLimit = 64

    // MARK: Opening

    /// Looks into the cache's folder, and so may block as a disk does.
    func open(_ key: Key, policy: HTTPByteSource.Policy) -> Found {
        let (found, mustBegin, known) = state.withLock { state -> (Found, Bool, HTTPByteSource?) in
            var slot = state.slots[key] ?? Slot()
            defer { state.slots[key] = slot }
            if let source = slot.source, source.isCurrent {
                slot.users += 1
                return (.source(source, isLocal: false), false, nil)
            }
            if let opening = slot.opening { return (.opening(opening), false, nil) }
            let opening = SharedOpening(key, self)
            slot.opening = opening
            return (.opening(opening), true, slot.source)
        }
        guard mustBegin, case .opening(let opening) = found else { return found }
        opening.begin(known, policy)
        return found
    }

    /// What came of an opening: it is the one for all who come now.
    func opened(_ key: Key, _ opening: SharedOpening, _ source: HTTPByteSource) {
        let old = state.withLock { state -> HTTPByteSource? in
            guard state.slots[key]?.opening === opening else { return nil }
            let isNew = state.slots[key]?.source !== source
            defer {
                state.slots[key]?.opening = nil
                state.slots[key]?.source = source
                if isNew { state.slots[key]?.users = 0 }
            }
            // Who holds the old one goes on with it.
            return isNew ? state.slots[key]?.source : nil
        }
        withExtendedLifetime(old) {}
    }

    /// Nobody waits for it any more.
    func abandoned(_ key: Key, _ opening: SharedOpening) {
        state.withLock { state in
            guard state.slots[key]?.opening === opening else { return }
            state.slots[key]?.opening = nil
            if state.slots[key]?.source == nil { state.slots[key] = nil }
        }
    }

    // MARK: Who holds what

    func hold(_ key: Key, _ source: HTTPByteSource) {
        state.withLock { state in
            if state.slots[key]?.source === source { state.slots[key]?.users += 1 }
        }
    }

    func release(_ key: Key, _ source: HTTPByteSource) {
        let isLast = state.withLock { state in
            guard var slot = state.slots[key], slot.source === source else { return false }
            state.uses += 1
            slot.users -= 1
            slot.lastUse = state.uses
            state.slots[key] = slot
            return slot.users == 0
        }
        if isLast { source.forgetRenewal() }
        source.settle()
        dropUnused { true }
    }

    /// Drops resources that nobody holds, those that were used longest ago first: as many as are too many, and then more of them until it
    /// is enough.
    func dropUnused(until isEnough: () -> Bool) {
        var unused = state.withLock { state in
            state.slots.filter { $0.value.users == 0 && $0.value.opening == nil }
                .sorted { $0.value.lastUse < $1.value.lastUse }
                .compactMap { slot in slot.value.source.map { (key: slot.key, source: $0) } }
        }
        while let first = unused.first {
            let byteCount = unused.reduce(0) { $0 + $1.source.heldBytes }
            let isTooMuch = unused.count > Self.unusedLimit || byteCount > Self.unusedByteLimit
            guard isTooMuch || !isEnough() else { return }
            state.withLock { state in
                guard let slot = state.slots[first.key], slot.users == 0, slot.opening == nil else { return }
                state.slots[first.key] = nil
            }
            // Here its memory goes, if nobody has taken it up meanwhile.
            unused.removeFirst()
        }
    }

    /// What has come so far is handed to the caches.
    func settle() {
        let sources = state.withLock { $0.slots.values.compactMap(\.source) }
        for source in sources { source.settle() }
    }
}
