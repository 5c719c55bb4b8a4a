internal import MediaCore

/// A resource is looked for: in memory, in the cache's folder, and then, where there was something, at the server, which is asked
/// whether it is still right. All who want it meanwhile wait for one answer.
final class SharedOpening: Sendable {
    private struct Waiter {
        weak var context: ReadContext?
    }

    enum Outcome: Sendable {
        case waiting
        /// `isLocal`: all of it is there already.
        case source(HTTPByteSource, isLocal: Bool)
        /// Nobody waited for it any more: it is to be looked for anew.
        case abandoned
    }

    private struct State {
        var outcome = Outcome.waiting
        var waiters: [ObjectIdentifier: Waiter] = [:]
        var revalidation: Revalidation?
    }

    private let key: SharedSources.Key
    private let terms: SharedTerms
    /// Of what is made anew.
    private let cookies: CookieStore
    /// They hold it while it is under way.
    private weak let sources: SharedSources?
    private let state = Locked(State())

    init(_ key: SharedSources.Key, _ sources: SharedSources, _ terms: SharedTerms) {
        self.key = key
        self.terms = terms
        cookies = key.options.cookies ?? terms.cookies ?? CookieStore()
        self.sources = sources
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

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
        context.whenOver(by: ObjectIdentifier(self)) { [weak self] in self?.leave(id) }
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
            if isSilent, known.isComplete { return finish(known) }
            return ask(identity, at: known.home, known.cookies, policy) { [self] answer in
                switch answer.outcome {
                case .same: finish(known, answer)
                case .unreachable where known.isComplete: finishUnasked(known)
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
        let isRight = terms.isPart && terms.parts?.isRight(entry.identity, of: key) == true
        if isRight || isSilent && entry.isComplete { return finish(made(policy, entry)) }
        ask(entry.identity, at: key.address, cookies, policy) { [self] answer in
            switch answer.outcome {
            case .same: finish(made(policy, entry), answer)
            case .unreachable where entry.isComplete: finishUnasked(made(policy, entry))
            case .changed, .unreachable: finish(made(policy, nil))
            }
        }
    }

    /// The asset has found out that there is no server at present.
    private var isSilent: Bool { terms.parts?.isSilent(key.address.origin) ?? false }

    private func finishUnasked(_ source: HTTPByteSource) {
        terms.parts?.noteSilence(of: key.address.origin)
        finish(source)
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

    /// `answer`: by which the server has said that it is right.
    private func finish(_ source: HTTPByteSource, _ answer: Revalidation.Answer? = nil) {
        if let answer { source.confirm(answer) } else { source.confirm() }
        let isLocal = source.isComplete
        let waiters = state.withLock { state -> [ReadContext]? in
            guard case .waiting = state.outcome else { return nil }
            state.outcome = .source(source, isLocal: isLocal)
            state.revalidation = nil
            defer { state.waiters = [:] }
            return state.waiters.values.compactMap(\.context)
        }
        guard let waiters else { return }
        sources?.opened(key, self, source)
        for context in waiters { context.wake() }
    }
}
