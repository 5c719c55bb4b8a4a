internal import MediaCore

/// The search for a resource: in memory, in the cache folder, and, if something was found, its revalidation by the
/// server. All readers that open the resource in the meantime wait for the same result.
final class ResourceLookup: Sendable {
    private struct Waiter {
        weak var context: ReadContext?
    }

    /// Why a source may be read without fetching it again.
    enum FreshnessBasis: Sendable {
        /// The server has validated it, or will do so with the first read.
        case validated
        /// The server could not be reached for revalidation.
        case unreachable
        /// The asset that opened it has enough information to skip revalidation. Another asset may not.
        case assumed
    }

    /// The state of the search.
    enum Outcome: Sendable {
        case waiting
        /// The source, and whether all of its bytes are available locally.
        case source(HTTPByteSource, isLocal: Bool, FreshnessBasis)
        /// No reader waited any more. The search has to be repeated.
        case abandoned
    }

    private struct State {
        var outcome = Outcome.waiting
        var waiters: [ObjectIdentifier: Waiter] = [:]
        var revalidation: Revalidation?
    }

    private let key: HTTPResourcePool.Key
    private let requirement: FreshnessRequirement
    /// The cookies for new sources.
    private let cookies: CookieStore
    /// The pool, which retains the lookup while it is in progress.
    private weak let pool: HTTPResourcePool?
    private let state = Locked(State())

    init(_ key: HTTPResourcePool.Key, _ pool: HTTPResourcePool, _ requirement: FreshnessRequirement) {
        self.key = key
        self.requirement = requirement
        cookies = key.options.cookies ?? requirement.cookies ?? CookieStore()
        self.pool = pool
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// Returns true if the result also satisfies another requirement.
    func satisfies(_ source: HTTPByteSource, _ basis: FreshnessBasis, for other: FreshnessRequirement) -> Bool
    {
        switch basis {
        case .validated: true
        case .unreachable: true
        case .assumed:
            requirement.validatedResources === other.validatedResources || source.isFresh
                || source.isValidated(since: other.validatedAfter)
        }
    }

    /// Wakes the reader when there is a result. The lookup is cancelled when no reader waits any more.
    func wait(_ context: ReadContext) {
        let id = ObjectIdentifier(context)
        let isOver = state.withLock { state in
            if case .waiting = state.outcome {
                state.waiters[id] = Waiter(context: context)
                return false
            }
            return true
        }
        guard !isOver else { return context.wake() }
        context.onClose(of: self) { [weak self] in self?.removeWaiter(id) }
    }

    /// Removes a reader, and cancels the lookup if it was the last one.
    private func removeWaiter(_ id: ObjectIdentifier) {
        let (isAbandoned, revalidation) = state.withLock { state -> (Bool, Revalidation?) in
            state.waiters[id] = nil
            guard case .waiting = state.outcome, state.waiters.isEmpty else { return (false, nil) }
            state.outcome = .abandoned
            defer { state.revalidation = nil }
            return (true, state.revalidation)
        }
        guard isAbandoned else { return }
        revalidation?.cancel()
        pool?.abandoned(key, self)
    }

    /// Starts the search. Reads the cache folder and may therefore block.
    ///
    /// - Parameters:
    ///   - cached: The source in memory.
    ///   - policy: The policy for new sources.
    func start(_ cached: HTTPByteSource?, _ policy: HTTPByteSource.Policy) {
        if let cached {
            guard let identity = cached.identity, cached.isShareable else {
                return finish(makeSource(policy, nil))
            }
            if isUnreachable(policy), cached.isComplete { return finish(cached, .assumed) }
            return revalidate(identity, at: cached.baseAddress, requirement.cookies ?? cached.cookies, policy)
            { [self] result in
                switch result.outcome {
                case .notModified:
                    cached.markValidated(by: result)
                    finish(cached)
                case .unreachable where cached.isComplete: finish(cached, .unreachable)
                case .changed, .unreachable: finish(makeSource(policy, nil))
                }
            }
        }
        guard let cache = key.options.cache,
            let entry = CacheEntry.open(
                cache.folder,
                cache.digest(key.address, key.options, isReferenced: policy.isReferenced)
            ),
            // A resource that a public server refers to must not come from a private one.
            !key.isReferencedByPublicServer || entry.isPublic
        else { return finish(makeSource(policy, nil)) }
        if requirement.isSegment,
            let time = requirement.validatedResources?.validationTime(of: entry.identity, key)
        {
            let source = makeSource(policy, entry)
            source.markValidated(at: time)
            return finish(source, .assumed)
        }
        if isUnreachable(policy), entry.isComplete { return finish(makeSource(policy, entry), .assumed) }
        revalidate(entry.identity, at: key.address, cookies, policy) { [self] result in
            switch result.outcome {
            case .notModified:
                let source = makeSource(policy, entry)
                source.markValidated(by: result)
                finish(source)
            case .unreachable where entry.isComplete: finish(makeSource(policy, entry), .unreachable)
            case .changed, .unreachable: finish(makeSource(policy, nil))
            }
        }
    }

    /// Returns true if the asset has recently found the origin unreachable.
    private func isUnreachable(_ policy: HTTPByteSource.Policy) -> Bool {
        requirement.validatedResources?.isUnreachable(key.address.origin, for: policy.unreachableTTL) ?? false
    }

    private func makeSource(_ policy: HTTPByteSource.Policy, _ entry: CacheEntry?) -> HTTPByteSource {
        var options = key.options
        options.cookies = cookies
        return HTTPByteSource(key.address, options, policy, entry)
    }

    /// Sends a conditional request, unless the lookup was abandoned.
    private func revalidate(
        _ identity: CacheIndex.Identity,
        at address: HTTPAddress,
        _ cookies: CookieStore,
        _ policy: HTTPByteSource.Policy,
        _ completion: @escaping @Sendable (Revalidation.Result) -> Void
    ) {
        var options = key.options
        options.cookies = cookies
        let revalidation = Revalidation(address, options, policy, identity, completion: completion)
        let isPending = state.withLock { state in
            guard case .waiting = state.outcome else { return false }
            state.revalidation = revalidation
            return true
        }
        if isPending { revalidation.start() }
    }

    /// Publishes the result and wakes all readers.
    private func finish(_ source: HTTPByteSource, _ basis: FreshnessBasis = .validated) {
        let isLocal = source.isComplete
        guard case .waiting = outcome else { return }
        // The pool first: a reader that cannot use the result must not find this lookup again.
        pool?.finished(key, self, source)
        let waiters = state.withLock { state -> [ReadContext] in
            guard case .waiting = state.outcome else { return [] }
            state.outcome = .source(source, isLocal: isLocal, basis)
            state.revalidation = nil
            defer { state.waiters = [:] }
            return state.waiters.values.compactMap(\.context)
        }
        for context in waiters { context.wake() }
    }
}
