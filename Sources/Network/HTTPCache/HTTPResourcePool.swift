internal import MediaCore

/// The HTTP resources of the process. All assets that open the same URL with the same options share one
/// `HTTPRepresentation`.
///
/// A resource without readers stays in memory while the limits allow it. `Freshness` decides whether an asset may use
/// it, or the one that the disk cache holds. If it is stale, one revalidation serves all assets that wait for it.
final class HTTPResourcePool: Sendable {
    static let shared = HTTPResourcePool()

    /// The search for a resource: in memory, in the cache folder, and by revalidation.
    ///
    /// `@unchecked Sendable`: guarded by the lock of the pool.
    final class Lookup: @unchecked Sendable {
        fileprivate struct Waiter {
            weak var context: ReadContext?
            /// The shared source that the reader reads.
            let asset: ObjectIdentifier
        }

        /// The readers that wait, and after the end those that may use the result.
        fileprivate var waiters: [ObjectIdentifier: Waiter] = [:]
        fileprivate var revalidation: Revalidation?
        /// The result for all assets that wait.
        fileprivate var result: Result?
    }

    /// A source that was found.
    struct Result: Sendable {
        let source: HTTPRepresentation
        /// Whether all bytes were available locally when the source was found.
        let isLocal: Bool
        /// Whether the server has not validated the bytes, because it is unreachable.
        let isStale: Bool
    }

    /// The result of `open`.
    enum OpenResult: Sendable {
        case found(Result)
        /// The reader will be woken. It opens the resource again with this lookup.
        case waiting(Lookup)
    }

    /// A resource and the lookup in progress for it.
    private struct Entry {
        var source: HTTPRepresentation?
        var lookup: Lookup?
        /// The number of shared sources that use `source`.
        var userCount = 0
        var lastUse: UInt64 = 0
    }

    private struct State {
        var entries: [HTTPResource: Entry] = [:]
        var uses: UInt64 = 0
    }

    private enum Step {
        case found(Result)
        case wait(Lookup)
        case search(Lookup, cached: HTTPRepresentation?)
    }

    private let state = Locked(State())
    /// The memory limit for resources without users, and the limit for their number.
    private static let unusedByteLimit = 32 << 20
    private static let unusedLimit = 512
    /// The maximum number of resources without users that may have an open cache file.
    private static let fileLimit = 64
    private static let evictionInterval: UInt64 = 16

    // MARK: Opening

    /// Returns the source for the resource of an asset, or a lookup to wait for. Reads the cache folder and may
    /// therefore block.
    ///
    /// - Parameters:
    ///   - asset: The shared source that opens the resource.
    ///   - lookup: The lookup that the asset has waited for.
    ///   - context: The reader, which is woken at the end of the lookup. The lookup is cancelled when no reader waits
    ///     any more.
    func open(_ asset: HTTPByteSource, after lookup: Lookup?, _ context: ReadContext) -> OpenResult {
        let step = state.withLock { state in nextStep(asset, lookup, context, &state) }
        switch step {
        case .found(let result):
            if result.isStale { asset.recordUnreachable() }
            return .found(result)
        case .wait(let lookup): return wait(lookup, asset.resource, context)
        case .search(let lookup, let cached): return search(lookup, cached, asset, context)
        }
    }

    private func nextStep(
        _ asset: HTTPByteSource,
        _ lookup: Lookup?,
        _ context: ReadContext,
        _ state: inout State
    ) -> Step {
        var entry = state.entries[asset.resource] ?? Entry()
        defer {
            let isUsed = entry.source != nil || entry.lookup != nil
            state.entries[asset.resource] = isUsed ? entry : nil
        }
        let waiter = Lookup.Waiter(context: context, asset: ObjectIdentifier(asset))
        // If no reader of the source waits for the result any more, a later one needs another lookup, because the
        // resource may have changed since.
        if let lookup, let result = lookup.result,
            lookup.waiters.values.contains(where: { $0.context != nil && $0.asset == waiter.asset })
        {
            if entry.source === result.source { entry.userCount += 1 }
            return .found(result)
        }
        if let source = entry.source, asset.use(of: source.storedResponse) == .fresh {
            entry.userCount += 1
            return .found(Result(source: source, isLocal: false, isStale: false))
        }
        if let lookup = entry.lookup {
            lookup.waiters[ObjectIdentifier(context)] = waiter
            return .wait(lookup)
        }
        let lookup = Lookup()
        lookup.waiters[ObjectIdentifier(context)] = waiter
        entry.lookup = lookup
        return .search(lookup, cached: entry.source)
    }

    private func wait(_ lookup: Lookup, _ resource: HTTPResource, _ context: ReadContext) -> OpenResult {
        let id = ObjectIdentifier(context)
        // A reader that stays open, such as that of a presentation, must not retain the result.
        context.onClose(of: lookup) { [weak self, weak lookup] in
            if let lookup { self?.removeWaiter(id, lookup, resource) }
        }
        return .waiting(lookup)
    }

    /// Searches memory and the cache folder, and revalidates what is found if necessary.
    private func search(
        _ lookup: Lookup,
        _ cached: HTTPRepresentation?,
        _ asset: HTTPByteSource,
        _ context: ReadContext
    ) -> OpenResult {
        let (resource, policy, cookies) = (asset.resource, asset.policy, asset.cookies)
        // The application's key function may block, so the completion of the revalidation must not call it.
        let cacheKey = resource.cacheKey()
        let entry = cached == nil ? cacheEntry(of: resource, cacheKey) : nil
        cached?.verifyCacheFile()
        let response = cached?.storedResponse ?? entry?.storedResponse
        /// Returns the result for a permitted use.
        let result = { @Sendable (use: Freshness.Use) in
            let isNew = use == .unusable
            let source =
                (isNew ? nil : cached)
                ?? HTTPRepresentation(resource, policy, cookies, isNew ? nil : entry, cacheKey: cacheKey)
            let isLocal = !isNew && source.storedResponse.isComplete
            return Result(source: source, isLocal: isLocal, isStale: use == .staleIfUnreachable)
        }
        let use = response.map { asset.use(of: $0) } ?? .unusable
        guard use == .stale, let response, let identity = response.identity else {
            let found = result(use)
            if use == .fresh, let time = asset.validationTime(of: response?.identity) {
                found.source.markValidated(at: time)
            }
            // Another asset knows less about the response, and has to search again.
            finish(lookup, resource, found, isForAll: use == .unusable, starter: context)
            return .found(found)
        }
        let revalidation = Revalidation(
            resource,
            at: cached?.baseAddress ?? resource.address,
            identity,
            policy,
            asset.isReferenced ? cookies : cached?.cookies ?? cookies
        ) { [weak self, weak lookup] answer in
            let use = Freshness.use(of: response, after: answer.outcome)
            let found = result(use)
            if use == .fresh { found.source.markValidated(by: answer) }
            if let lookup { self?.finish(lookup, resource, found, isForAll: true, starter: nil) }
        }
        state.withLock { _ in lookup.revalidation = revalidation }
        revalidation.start()
        return wait(lookup, resource, context)
    }

    private func cacheEntry(of resource: HTTPResource, _ cacheKey: [UInt8]?) -> CacheEntry? {
        guard let cache = resource.options.cache, let cacheKey,
            let entry = CacheEntry.open(cache.folder, cacheKey),
            // A resource that a public server refers to must not come from a private one.
            resource.referrer != .publicServer || entry.isPublic
        else { return nil }
        return entry
    }

    /// Makes the result of a lookup the source for all assets that open the resource from now on, and wakes those
    /// that wait. The reader that has started the lookup may use it at once.
    private func finish(
        _ lookup: Lookup,
        _ resource: HTTPResource,
        _ result: Result,
        isForAll: Bool,
        starter: ReadContext?
    ) {
        let (old, waiters) = state.withLock { state -> (HTTPRepresentation?, [ReadContext]) in
            guard state.entries[resource]?.lookup === lookup, var entry = state.entries[resource] else {
                return (nil, [])
            }
            defer { state.entries[resource] = entry }
            // Users of the old source keep it.
            let old = entry.source === result.source ? nil : entry.source
            if entry.source !== result.source { entry.userCount = 0 }
            entry.source = result.source
            entry.lookup = nil
            if let starter {
                entry.userCount += 1
                lookup.waiters[ObjectIdentifier(starter)] = nil
            }
            if isForAll { lookup.result = result }
            lookup.revalidation = nil
            defer { if !isForAll { lookup.waiters = [:] } }
            return (old, lookup.waiters.values.compactMap(\.context))
        }
        withExtendedLifetime(old) { for context in waiters { context.wake() } }
    }

    /// Removes a reader from a lookup, which is cancelled if no other reader waits.
    private func removeWaiter(_ id: ObjectIdentifier, _ lookup: Lookup, _ resource: HTTPResource) {
        let revalidation = state.withLock { state -> Revalidation? in
            lookup.waiters[id] = nil
            guard lookup.waiters.isEmpty, state.entries[resource]?.lookup === lookup else { return nil }
            state.entries[resource]?.lookup = nil
            if state.entries[resource]?.source == nil { state.entries[resource] = nil }
            defer { lookup.revalidation = nil }
            return lookup.revalidation
        }
        revalidation?.cancel()
    }

    // MARK: Users

    /// Removes a user of a source. May evict resources without users.
    func release(_ resource: HTTPResource, _ source: HTTPRepresentation) {
        let (urlRefresh, mustEvict) = state.withLock { state -> (HTTPRepresentation.URLRefresh?, Bool) in
            state.uses += 1
            // Checking many resources is slow. If there are few of them, they can only exceed the memory limit.
            let isMany = state.entries.count > Self.fileLimit
            let mustEvict =
                isMany
                ? state.uses % Self.evictionInterval == 0
                : NetworkMemory.shared.byteCount > Self.unusedByteLimit
            guard var entry = state.entries[resource], entry.source === source else {
                return (nil, mustEvict)
            }
            entry.userCount -= 1
            entry.lastUse = state.uses
            state.entries[resource] = entry
            // The lock is held, so no source can open the resource and offer its closure in between.
            return (entry.userCount == 0 ? source.removeURLRefresh() : nil, mustEvict)
        }
        withExtendedLifetime(urlRefresh) {}
        source.flush()
        if mustEvict { evictUnused { true } }
    }

    /// Evicts resources without users, the least recently used ones first: as many as exceed the limits, and then
    /// more until `isSatisfied` returns true.
    func evictUnused(until isSatisfied: () -> Bool) {
        // Sorted so that the least recently used one is the last.
        var unused = state.withLock { state in
            state.entries.compactMap {
                key,
                entry -> (key: HTTPResource, source: HTTPRepresentation, lastUse: UInt64)? in
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

    /// Closes the cache files of all resources without users, which stay in memory. A file is opened again when it is
    /// needed, unless it has been evicted.
    func closeUnusedFiles() {
        let sources = state.withLock { state in
            state.entries.values.compactMap { $0.userCount == 0 && $0.lookup == nil ? $0.source : nil }
        }
        for source in sources { source.closeCacheFile() }
    }

    /// Writes buffered bytes of all resources to their caches.
    func flush() {
        let sources = state.withLock { $0.entries.values.compactMap(\.source) }
        for source in sources { source.flush() }
    }
}
