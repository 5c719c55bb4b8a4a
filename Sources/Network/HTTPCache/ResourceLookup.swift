internal import MediaCore

/// A resource is looked for: in memory, in the cache's folder, and then, where there was something, at the server, which is asked
/// whether it is still right. All who want it meanwhile wait for one answer.
final class ResourceLookup: Sendable {
    private struct Waiter {
        weak var context: ReadContext?
    }

    /// Why the source that was found may be read.
    enum FreshnessBasis: Sendable {
        /// The server has said that it is right, or is asked by the first read.
        case validated
        /// The server was asked, and could not be reached.
        case unreachable
        /// The asset that opened it knows enough not to ask. Another one may know less.
        case assumed
    }

    enum Outcome: Sendable {
        case waiting
        /// `isLocal`: all of it is there already.
        case source(HTTPByteSource, isLocal: Bool, FreshnessBasis)
        /// Nobody waited for it any more: it is to be looked for anew.
        case abandoned
    }

    private struct State {
        var outcome = Outcome.waiting
        var waiters: [ObjectIdentifier: Waiter] = [:]
        var revalidation: Revalidation?
    }

    private let key: HTTPResourcePool.Key
    private let requirement: FreshnessRequirement
    /// Of what is made anew.
    private let cookies: CookieStore
    /// They hold it while it is under way.
    private weak let pool: HTTPResourcePool?
    private let state = Locked(State())

    init(_ key: HTTPResourcePool.Key, _ pool: HTTPResourcePool, _ requirement: FreshnessRequirement) {
        self.key = key
        self.requirement = requirement
        cookies = key.options.cookies ?? requirement.cookies ?? CookieStore()
        self.pool = pool
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// What came of it holds under these terms too, though it was not opened under them.
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

    /// The reader is woken when there is an outcome. Nobody who waits any more: it is called off.
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

    /// Blocks as a disk does. `known`: what this process has of it.
    func start(_ cached: HTTPByteSource?, _ policy: HTTPByteSource.Policy) {
        if let cached {
            guard let identity = cached.identity, cached.isShareable else {
                return finish(makeSource(policy, nil))
            }
            if isUnreachable(policy), cached.isComplete { return finish(cached, .assumed) }
            return revalidate(identity, at: cached.baseAddress, requirement.cookies ?? cached.cookies, policy)
            { [self] answer in
                switch answer.outcome {
                case .notModified:
                    cached.markValidated(by: answer)
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
            // What a public server names is not to be found at a private one.
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
        revalidate(entry.identity, at: key.address, cookies, policy) { [self] answer in
            switch answer.outcome {
            case .notModified:
                let source = makeSource(policy, entry)
                source.markValidated(by: answer)
                finish(source)
            case .unreachable where entry.isComplete: finish(makeSource(policy, entry), .unreachable)
            case .changed, .unreachable: finish(makeSource(policy, nil))
            }
        }
    }

    /// The asset has found out that there is no server at present.
    private func isUnreachable(_ policy: HTTPByteSource.Policy) -> Bool {
        requirement.validatedResources?.isUnreachable(key.address.origin, for: policy.unreachableTTL) ?? false
    }

    private func makeSource(_ policy: HTTPByteSource.Policy, _ entry: CacheEntry?) -> HTTPByteSource {
        var options = key.options
        options.cookies = cookies
        return HTTPByteSource(key.address, options, policy, entry)
    }

    private func revalidate(
        _ identity: CacheIndex.Identity,
        at address: HTTPAddress,
        _ cookies: CookieStore,
        _ policy: HTTPByteSource.Policy,
        _ completion: @escaping @Sendable (Revalidation.Answer) -> Void
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

    private func finish(_ source: HTTPByteSource, _ basis: FreshnessBasis = .validated) {
        let isLocal = source.isComplete
        guard case .waiting = outcome else { return }
        // First, so that who cannot take it, and looks anew, does not come here again.
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
