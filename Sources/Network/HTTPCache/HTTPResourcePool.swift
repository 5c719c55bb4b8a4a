internal import MediaCore

/// The HTTP resources of the process. All assets that open the same URL with the same options share one
/// `HTTPByteSource`.
///
/// A resource without readers stays in memory while the limits allow it. In the terms of RFC 9111, a stored response
/// is reused as follows, in this order:
///
/// | stored response | reused by |
/// |---|---|
/// | fresh: being read, and validated within `freshnessLifetime` | any asset |
/// | validated after `FreshnessRequirement.validatedAfter` | any asset |
/// | a cached segment that this asset has validated before | this asset |
/// | stale, complete, and the origin was unreachable within `unreachableTTL` | this asset |
/// | stale, and confirmed by revalidation (304 or the same validator) | all that wait for the lookup |
/// | stale, complete, and revalidation finds the origin unreachable | all that wait for the lookup |
/// | changed; or incomplete and unreachable; or without a validator | none: a new source fetches it |
/// | volatile: it changes with every request | none: a new source fetches it |
final class HTTPResourcePool: Sendable {
    static let shared = HTTPResourcePool()

    /// The request properties that determine the response of a server.
    struct Key: Hashable, Sendable {
        let address: HTTPAddress
        let options: NetworkOptions
        /// Whether a public server referred to the URL, which restricts the allowed addresses.
        let isReferencedByPublicServer: Bool
    }

    /// A resource and the lookup in progress for it.
    private struct Entry {
        var source: HTTPByteSource?
        var lookup: ResourceLookup?
        /// The number of shared sources that use `source`.
        var userCount = 0
        var lastUse: UInt64 = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
    }

    /// The result of `open`.
    enum OpenResult: Sendable {
        case source(HTTPByteSource, isLocal: Bool)
        case lookup(ResourceLookup)
    }

    private let state = Locked(State())
    /// The memory limit for resources without users, and the limit for their number.
    private static let unusedByteLimit = 32 << 20
    private static let unusedLimit = 512
    /// The maximum number of resources without users that may have an open cache file.
    private static let fileLimit = 64
    private static let evictionInterval: UInt64 = 16

    // MARK: Opening

    /// Returns the source for a resource, or a lookup to wait for. Reads the cache folder and may therefore block.
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

    /// Makes the result of a lookup the source for all assets that open the resource from now on.
    func finished(_ key: Key, _ lookup: ResourceLookup, _ source: HTTPByteSource) {
        let old = state.withLock { state -> HTTPByteSource? in
            guard state.entries[key]?.lookup === lookup else { return nil }
            let isNew = state.entries[key]?.source !== source
            defer {
                state.entries[key]?.lookup = nil
                state.entries[key]?.source = source
                if isNew { state.entries[key]?.userCount = 0 }
            }
            // Users of the old source keep it.
            return isNew ? state.entries[key]?.source : nil
        }
        withExtendedLifetime(old) {}
    }

    /// Removes a lookup that no reader waits for any more.
    func abandoned(_ key: Key, _ lookup: ResourceLookup) {
        state.withLock { state in
            guard state.entries[key]?.lookup === lookup else { return }
            state.entries[key]?.lookup = nil
            if state.entries[key]?.source == nil { state.entries[key] = nil }
        }
    }

    // MARK: Users

    /// Counts a user of a source.
    func retain(_ key: Key, _ source: HTTPByteSource) {
        state.withLock { state in
            if state.entries[key]?.source === source { state.entries[key]?.userCount += 1 }
        }
    }

    /// Removes a user of a source. May evict resources without users.
    func release(_ key: Key, _ source: HTTPByteSource) {
        let (isLast, mustEvict) = state.withLock { state -> (Bool, Bool) in
            state.uses += 1
            // Checking many resources is slow. If there are few of them, they can only exceed the memory limit.
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

    /// Evicts resources without users, the least recently used ones first: as many as exceed the limits, and then
    /// more until `isSatisfied` returns true.
    func evictUnused(until isSatisfied: () -> Bool) {
        // Sorted so that the least recently used one is the last.
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
            // The memory is freed outside the lock, unless the source is in use again.
            left = (left.count - 1, left.bytes - size.bytes, left.files - size.files)
        }
    }

    /// Evicts all resources without users.
    func evictAllUnused() { evictUnused { false } }

    /// Writes buffered bytes of all resources to their caches.
    func flush() {
        let sources = state.withLock { $0.entries.values.compactMap(\.source) }
        for source in sources { source.flush() }
    }
}
