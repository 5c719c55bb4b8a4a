public import MediaCore

/// Reads an http or https URL from what all of the process have fetched of it, and from the cache of its options.
///
/// Whoever opens the same URL with the same options shares bytes and requests: each byte is fetched once, as long as it
/// finds room (64 MiB for all URLs together, 32 MiB for one; beyond that in the cache on disk, if there is one). This source stays with
/// the state of the resource that it began with: when the server has another one, a source that is made then gets that one whole, and
/// what this one lacks is an error with the code `.resourceChanged`.
public final class SharedHTTPSource: ByteSource {
    private enum State {
        case unopened
        case opening(SharedOpening)
        /// `isFixed`: bytes of it have been read.
        case open(HTTPByteSource, isLocal: Bool, isFixed: Bool)
    }

    private let key: SharedSources.Key
    private let policy: HTTPByteSource.Policy
    private let sources: SharedSources
    /// Who gives another URL of the same resource, when the server refuses this one.
    private let renewal: HTTPByteSource.Renewal?
    private let state = Locked(State.unopened)
    private let aheadLimit = Locked<Int64?>(nil)

    /// Does no I/O: what is wrong with the server is told by the first read. Throws where the URL is none of http or https, or
    /// the options make no request.
    public convenience init(url: String, options: NetworkOptions = NetworkOptions()) throws(MediaError) {
        try self.init(url: url, options: options, policy: HTTPByteSource.Policy())
    }

    package convenience init(
        url: String,
        options: NetworkOptions,
        policy: HTTPByteSource.Policy = HTTPByteSource.Policy(),
        renewal: HTTPByteSource.Renewal? = nil
    ) throws(MediaError) {
        try self.init(url: url, options: options, policy: policy, .shared, renewal: renewal)
    }

    init(
        url: String,
        options: NetworkOptions,
        policy: HTTPByteSource.Policy,
        _ sources: SharedSources,
        renewal: HTTPByteSource.Renewal? = nil
    ) throws(MediaError) {
        key = SharedSources.Key(
            address: try HTTPByteSource.address(url, options),
            options: options,
            isNestedInPublic: policy.isNestedInPublic
        )
        self.policy = policy
        self.sources = sources
        self.renewal = renewal
    }

    deinit {
        if case .open(let source, _, _) = state.withLock({ $0 }) { sources.release(key, source) }
    }

    /// The URL without credentials and query.
    public var name: String { key.address.name }
    /// nil until the first bytes have come, and where the server does not say.
    public var byteCount: Int64? { source?.byteCount }
    /// False for a server that neither sends ranges nor says how much there is. True until the first bytes have come.
    public var isSeekable: Bool { source?.isSeekable ?? true }
    /// All of it was there when it was opened.
    public var isLocal: Bool {
        if case .open(_, let isLocal, _) = state.withLock({ $0 }) { isLocal } else { false }
    }

    /// The URL, or where the server has led to, without credentials. For what is relative to it; it may hold a token.
    package var location: String { source?.location ?? key.address.text }

    /// Bytes that are fetched ahead of each reader of this source at most, from its next read on; nil: as many as ever.
    package func limitReadAhead(to byteCount: Int?) {
        aheadLimit.withLock { $0 = byteCount.map { Int64(max(Self.leastAhead, $0)) } }
    }

    /// One block of memory.
    private static let leastAhead = 64 << 10

    /// What this resource refers to, by itself: it is not shared. Credentials, and headers that may be secrets, go along to
    /// the same origin alone.
    package func referred(_ url: String) throws(MediaError) -> HTTPByteSource {
        try (source ?? HTTPByteSource(key.address, key.options, policy, nil)).referred(url)
    }

    /// What it reads from; nil until it was opened.
    package var source: HTTPByteSource? {
        if case .open(let source, _, _) = state.withLock({ $0 }) { source } else { nil }
    }

    /// Waits for its bytes; for those who read by themselves.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try BlockedRead.read(self, at: offset, into: buffer)
    }

    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        guard !context.isInterrupted else { throw MediaError(.cancelled, "the read was interrupted") }
        let (source, isFixed) = try opened(context)
        let limit = aheadLimit.withLock { $0 }
        let count = try source.read(at: offset, into: buffer, context: context, aheadLimit: limit)
        if !isFixed { fix(source) }
        return count
    }

    public func loadingState(for context: ReadContext) -> LoadingState? {
        source?.loadingState(for: context)
    }

    /// Nothing: a reader of this source is interrupted by its context.
    public func cancel() {}

    private func opened(_ context: ReadContext) throws(MediaError) -> (HTTPByteSource, isFixed: Bool) {
        while true {
            switch state.withLock({ $0 }) {
            case .open(let source, _, let isFixed):
                let mayStay = isFixed || source.isShareable || source.isClaimed(by: ObjectIdentifier(self))
                guard !mayStay else { return (source, isFixed) }
                // A server that sends its bytes once, in order, sends them to each asset anew.
                let own = HTTPByteSource(key.address, key.options, policy, nil)
                own.offer(renewal)
                take(.open(own, isLocal: false, isFixed: true), insteadOf: source)
                sources.release(key, source)
            case .unopened:
                switch sources.open(key, policy: policy) {
                case .opening(let opening): take(.opening(opening), insteadOf: nil)
                case .source(let source, let isLocal):
                    // Another reader of this source may have come first.
                    source.offer(renewal)
                    if !take(.open(source, isLocal: isLocal, isFixed: false), insteadOf: nil) {
                        sources.release(key, source)
                    }
                }
            case .opening(let opening):
                switch opening.outcome {
                case .abandoned: forget(opening)
                case .source(let source, let isLocal): settle(opening, source, isLocal)
                case .waiting:
                    opening.wait(context)
                    throw MediaError(.notReady, "waiting for the server", location: name, isRetryable: true)
                }
            }
        }
    }

    @discardableResult
    private func take(_ new: State, insteadOf old: HTTPByteSource?) -> Bool {
        state.withLock { state in
            switch state {
            case .unopened where old == nil: break
            case .open(let source, _, _) where source === old: break
            case .unopened, .opening, .open: return false
            }
            state = new
            return true
        }
    }

    private func fix(_ source: HTTPByteSource) {
        state.withLock { state in
            if case .open(let known, let isLocal, _) = state, known === source {
                state = .open(source, isLocal: isLocal, isFixed: true)
            }
        }
    }

    private func forget(_ opening: SharedOpening) {
        state.withLock { state in
            if case .opening(let known) = state, known === opening { state = .unopened }
        }
    }

    private func settle(_ opening: SharedOpening, _ source: HTTPByteSource, _ isLocal: Bool) {
        let isFirst = state.withLock { state in
            guard case .opening(let known) = state, known === opening else { return false }
            state = .open(source, isLocal: isLocal, isFixed: false)
            return true
        }
        guard isFirst else { return }
        source.offer(renewal)
        sources.hold(key, source)
    }
}
