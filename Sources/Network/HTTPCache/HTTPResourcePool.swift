internal import MediaCore

/// The resources of the process: whoever opens a URL as somebody else does reads what that one has read, each byte fetched once.
///
/// A resource that nobody reads any more stays for a while, as far as its bytes find room. Before it is handed out again the server is
/// asked whether it has changed.
final class HTTPResourcePool: Sendable {
    static let shared = HTTPResourcePool()

    /// What must be the same, so that a server would answer the same.
    struct Key: Hashable, Sendable {
        let address: HTTPAddress
        let options: NetworkOptions
        /// What a public server has named is under other rules.
        let isNestedInPublic: Bool
    }

    private struct Slot {
        var source: HTTPByteSource?
        var opening: ResourceLookup?
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
        case opening(ResourceLookup)
    }

    private let state = Locked(State())
    /// Of resources that nobody reads.
    private static let unusedByteLimit = 32 << 20
    private static let unusedLimit = 512
    /// Of those, how many may have a file of a cache open.
    private static let fileLimit = 64
    private static let lookInterval: UInt64 = 16

    // MARK: Opening

    /// Looks into the cache's folder, and so may block as a disk does.
    func open(
        _ key: Key,
        policy: HTTPByteSource.Policy,
        _ terms: FreshnessRequirement = FreshnessRequirement()
    ) -> Found {
        let (found, mustBegin, known) = state.withLock { state -> (Found, Bool, HTTPByteSource?) in
            var slot = state.slots[key] ?? Slot()
            defer { state.slots[key] = slot }
            if let source = slot.source, source.isCurrent || source.isConfirmed(since: terms.since) {
                slot.users += 1
                return (.source(source, isLocal: false), false, nil)
            }
            if let opening = slot.opening { return (.opening(opening), false, nil) }
            let opening = ResourceLookup(key, self, terms)
            slot.opening = opening
            return (.opening(opening), true, slot.source)
        }
        guard mustBegin, case .opening(let opening) = found else { return found }
        opening.begin(known, policy)
        return found
    }

    /// What came of an opening: it is the one for all who come now.
    func opened(_ key: Key, _ opening: ResourceLookup, _ source: HTTPByteSource) {
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
    func abandoned(_ key: Key, _ opening: ResourceLookup) {
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
        let (isLast, mustLook) = state.withLock { state -> (Bool, Bool) in
            state.uses += 1
            // A look at many takes a while. Where there are few, memory alone may be too much.
            let isMany = state.slots.count > Self.fileLimit
            let mustLook =
                isMany
                ? state.uses % Self.lookInterval == 0 : NetworkMemory.shared.byteCount > Self.unusedByteLimit
            guard var slot = state.slots[key], slot.source === source else { return (false, mustLook) }
            slot.users -= 1
            slot.lastUse = state.uses
            state.slots[key] = slot
            return (slot.users == 0, mustLook)
        }
        if isLast { source.forgetRenewal() }
        source.settle()
        if mustLook { dropUnused { true } }
    }

    /// Drops resources that nobody holds, those that were used longest ago first: as many as are too many, and then more of them until it
    /// is enough.
    func dropUnused(until isEnough: () -> Bool) {
        // The one that was used longest ago comes last.
        var unused = state.withLock { state in
            state.slots.compactMap { key, slot -> (key: Key, source: HTTPByteSource, lastUse: UInt64)? in
                guard slot.users == 0, slot.opening == nil, let source = slot.source else { return nil }
                return (key, source, slot.lastUse)
            }
        }
        unused.sort { $0.lastUse > $1.lastUse }
        var sizes = unused.map { (bytes: $0.source.heldBytes, files: $0.source.holdsFile ? 1 : 0) }
        var left = (count: unused.count, bytes: 0, files: 0)
        for size in sizes { left = (left.count, left.bytes + size.bytes, left.files + size.files) }
        while let entry = unused.popLast(), let size = sizes.popLast() {
            let isTooMuch =
                left.count > Self.unusedLimit || left.bytes > Self.unusedByteLimit
                || left.files > Self.fileLimit
            guard isTooMuch || !isEnough() else { return }
            state.withLock { state in
                guard let slot = state.slots[entry.key], slot.source === entry.source, slot.users == 0,
                    slot.opening == nil
                else { return }
                state.slots[entry.key] = nil
            }
            // Behind the lock its memory goes, if nobody has taken it up meanwhile.
            left = (left.count - 1, left.bytes - size.bytes, left.files - size.files)
        }
    }

    /// Drops all resources that nobody holds.
    func forgetUnused() { dropUnused { false } }

    /// What has come so far is handed to the caches.
    func settle() {
        let sources = state.withLock { $0.slots.values.compactMap(\.source) }
        for source in sources { source.settle() }
    }
}
