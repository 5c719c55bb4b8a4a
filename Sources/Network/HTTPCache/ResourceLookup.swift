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
        case server
        /// The server was asked, and could not be reached.
        case unreachable
        /// The asset that opened it knows enough not to ask. Another one may know less.
        case knowledge
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
    private let terms: FreshnessRequirement
    /// Of what is made anew.
    private let cookies: CookieStore
    /// They hold it while it is under way.
    private weak let sources: HTTPResourcePool?
    private let state = Locked(State())

    init(_ key: HTTPResourcePool.Key, _ sources: HTTPResourcePool, _ terms: FreshnessRequirement) {
        self.key = key
        self.terms = terms
        cookies = key.options.cookies ?? terms.cookies ?? CookieStore()
        self.sources = sources
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// What came of it holds under these terms too, though it was not opened under them.
    func holds(_ source: HTTPByteSource, _ ground: FreshnessBasis, for other: FreshnessRequirement) -> Bool {
        switch ground {
        case .server: true
        case .unreachable: true
        case .knowledge:
            terms.parts === other.parts || source.isCurrent || source.isConfirmed(since: other.since)
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
        context.onClose(by: ObjectIdentifier(self)) { [weak self] in self?.leave(id) }
    }

    private func leave(_ id: ObjectIdentifier) {
        let (isAbandoned, revalidation) = state.withLock { state -> (Bool, Revalidation?) in
            state.waiters[id] = nil
            guard case .waiting = state.outcome, state.waiters.isEmpty else { return (false, nil) }
            state.outcome = .abandoned
            defer { state.revalidation = nil }
            return (true, state.revalidation)
        }
        guard isAbandoned else { return }
        revalidation?.cancel()
        sources?.abandoned(key, self)
    }

    /// Blocks as a disk does. `known`: what this process has of it.
    func begin(_ known: HTTPByteSource?, _ policy: HTTPByteSource.Policy) {
        if let known {
            guard let identity = known.identity, known.isShareable else { return finish(made(policy, nil)) }
            if isSilent(policy), known.isComplete { return finish(known, .knowledge) }
            return ask(identity, at: known.home, terms.cookies ?? known.cookies, policy) { [self] answer in
                switch answer.outcome {
                case .same:
                    known.confirm(answer)
                    finish(known)
                case .unreachable where known.isComplete: finish(known, .unreachable)
                case .changed, .unreachable: finish(made(policy, nil))
                }
            }
        }
        guard let cache = key.options.cache,
            let entry = CacheEntry.open(
                cache.folder,
                cache.digest(key.address, key.options, isPart: policy.isPart)
            ),
            // What a public server names is not to be found at a private one.
            !key.isNestedInPublic || entry.isPublic
        else { return finish(made(policy, nil)) }
        if terms.isPart, let time = terms.parts?.time(of: entry.identity, key) {
            let source = made(policy, entry)
            source.confirm(at: time)
            return finish(source, .knowledge)
        }
        if isSilent(policy), entry.isComplete { return finish(made(policy, entry), .knowledge) }
        ask(entry.identity, at: key.address, cookies, policy) { [self] answer in
            switch answer.outcome {
            case .same:
                let source = made(policy, entry)
                source.confirm(answer)
                finish(source)
            case .unreachable where entry.isComplete: finish(made(policy, entry), .unreachable)
            case .changed, .unreachable: finish(made(policy, nil))
            }
        }
    }

    /// The asset has found out that there is no server at present.
    private func isSilent(_ policy: HTTPByteSource.Policy) -> Bool {
        terms.parts?.isSilent(key.address.origin, for: policy.peace) ?? false
    }

    private func made(_ policy: HTTPByteSource.Policy, _ entry: CacheEntry?) -> HTTPByteSource {
        var options = key.options
        options.cookies = cookies
        return HTTPByteSource(key.address, options, policy, entry)
    }

    private func ask(
        _ identity: CacheIndex.Identity,
        at address: HTTPAddress,
        _ cookies: CookieStore,
        _ policy: HTTPByteSource.Policy,
        _ done: @escaping @Sendable (Revalidation.Answer) -> Void
    ) {
        var options = key.options
        options.cookies = cookies
        let revalidation = Revalidation(address, options, policy, identity, done: done)
        let isWanted = state.withLock { state in
            guard case .waiting = state.outcome else { return false }
            state.revalidation = revalidation
            return true
        }
        if isWanted { revalidation.start() }
    }

    private func finish(_ source: HTTPByteSource, _ ground: FreshnessBasis = .server) {
        let isLocal = source.isComplete
        guard case .waiting = outcome else { return }
        // First, so that who cannot take it, and looks anew, does not come here again.
        sources?.opened(key, self, source)
        let waiters = state.withLock { state -> [ReadContext] in
            guard case .waiting = state.outcome else { return [] }
            state.outcome = .source(source, isLocal: isLocal, ground)
            state.revalidation = nil
            defer { state.waiters = [:] }
            return state.waiters.values.compactMap(\.context)
        }
        for context in waiters { context.wake() }
    }
}
