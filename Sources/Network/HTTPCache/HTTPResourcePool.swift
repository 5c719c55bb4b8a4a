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
        let isReferencedByPublicServer: Bool
    }

    private struct Entry {
        var source: HTTPByteSource?
        var lookup: ResourceLookup?
        /// How many hold the source.
        var userCount = 0
        var lastUse: UInt64 = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
    }

    enum OpenResult: Sendable {
        case source(HTTPByteSource, isLocal: Bool)
        case lookup(ResourceLookup)
    }

    private let state = Locked(State())
    /// Of resources that nobody reads.
    private static let unusedByteLimit = 32 << 20
    private static let unusedLimit = 512
    /// Of those, how many may have a file of a cache open.
    private static let fileLimit = 64
    private static let evictionInterval: UInt64 = 16

    // MARK: Opening

    /// Looks into the cache's folder, and so may block as a disk does.
    func open(
        _ key: Key,
        policy: HTTPByteSource.Policy,
        _ requirement: FreshnessRequirement = FreshnessRequirement()
    ) -> OpenResult {
        let (result, mustStart, cached) = state.withLock { state -> (OpenResult, Bool, HTTPByteSource?) in
            var entry = state.entries[key] ?? Entry()
            defer { state.entries[key] = entry }
            if let source = entry.source,
                source.isFresh || source.isValidated(since: requirement.validatedAfter)
            {
                entry.userCount += 1
                return (.source(source, isLocal: false), false, nil)
            }
            if let lookup = entry.lookup { return (.lookup(lookup), false, nil) }
            let lookup = ResourceLookup(key, self, requirement)
            entry.lookup = lookup
            return (.lookup(lookup), true, entry.source)
        }
        guard mustStart, case .lookup(let lookup) = result else { return result }
        lookup.start(cached, policy)
        return result
    }

    /// What came of an opening: it is the one for all who come now.
    func finished(_ key: Key, _ lookup: ResourceLookup, _ source: HTTPByteSource) {
        let old = state.withLock { state -> HTTPByteSource? in
            guard state.entries[key]?.lookup === lookup else { return nil }
            let isNew = state.entries[key]?.source !== source
            defer {
                state.entries[key]?.lookup = nil
                state.entries[key]?.source = source
                if isNew { state.entries[key]?.userCount = 0 }
            }
            // Who holds the old one goes on with it.
            return isNew ? state.entries[key]?.source : nil
        }
        withExtendedLifetime(old) {}
    }

    /// Nobody waits for it any more.
    func abandoned(_ key: Key, _ lookup: ResourceLookup) {
        state.withLock { state in
            guard state.entries[key]?.lookup === lookup else { return }
            state.entries[key]?.lookup = nil
            if state.entries[key]?.source == nil { state.entries[key] = nil }
        }
    }

    // MARK: Who holds what

    func retain(_ key: Key, _ source: HTTPByteSource) {
        state.withLock { state in
            if state.entries[key]?.source === source { state.entries[key]?.userCount += 1 }
        }
    }

    func release(_ key: Key, _ source: HTTPByteSource) {
        let (isLast, mustEvict) = state.withLock { state -> (Bool, Bool) in
            state.uses += 1
            // A look at many takes a while. Where there are few, memory alone may be too much.
            let isMany = state.entries.count > Self.fileLimit
            let mustEvict =
                isMany
                ? state.uses % Self.evictionInterval == 0
                : NetworkMemory.shared.byteCount > Self.unusedByteLimit
            guard var entry = state.entries[key], entry.source === source else { return (false, mustEvict) }
            entry.userCount -= 1
            entry.lastUse = state.uses
            state.entries[key] = entry
            return (entry.userCount == 0, mustEvict)
        }
        if isLast { source.removeURLRefresh() }
        source.flush()
        if mustEvict { evictUnused { true } }
    }

    /// Drops resources that nobody holds, those that were used longest ago first: as many as are too many, and then more of them until it
    /// is enough.
    func evictUnused(until isSatisfied: () -> Bool) {
        // The one that was used longest ago comes last.
        var unused = state.withLock { state in
            state.entries.compactMap { key, entry -> (key: Key, source: HTTPByteSource, lastUse: UInt64)? in
                guard entry.userCount == 0, entry.lookup == nil, let source = entry.source else { return nil }
                return (key, source, entry.lastUse)
            }
        }
        unused.sort { $0.lastUse > $1.lastUse }
        var sizes = unused.map { (bytes: $0.source.storedByteCount, files: $0.source.hasCacheFile ? 1 : 0) }
        var left = (count: unused.count, bytes: 0, files: 0)
        for size in sizes { left = (left.count, left.bytes + size.bytes, left.files + size.files) }
        while let candidate = unused.popLast(), let size = sizes.popLast() {
            let exceedsLimit =
                left.count > Self.unusedLimit || left.bytes > Self.unusedByteLimit
                || left.files > Self.fileLimit
            guard exceedsLimit || !isSatisfied() else { return }
            state.withLock { state in
                guard let entry = state.entries[candidate.key], entry.source === candidate.source,
                    entry.userCount == 0,
                    entry.lookup == nil
                else { return }
                state.entries[candidate.key] = nil
            }
            // Behind the lock its memory goes, if nobody has taken it up meanwhile.
            left = (left.count - 1, left.bytes - size.bytes, left.files - size.files)
        }
    }

    /// Drops all resources that nobody holds.
    func evictAllUnused() { evictUnused { false } }

    /// What has come so far is handed to the caches.
    func flush() {
        let sources = state.withLock { $0.entries.values.compactMap(\.source) }
        for source in sources { source.flush() }
    }
}
