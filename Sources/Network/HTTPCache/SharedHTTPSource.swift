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
        case opening(ResourceLookup)
        case open(Opened)
    }

    private struct Opened {
        let source: HTTPByteSource
        var isLocal = false
        /// Bytes of it have been read.
        var isFixed = false
        /// The server could not be asked about it: it is read as it is there.
        var isUnasked = false
        /// What had come of it when this one joined.
        let formerBytes: Int64
        /// What had come of the one in whose place it is.
        var earlierBytes: Int64 = 0

        var receivedBytes: Int64 { earlierBytes + source.receivedBytes - formerBytes }

        init(_ source: HTTPByteSource, isLocal: Bool) {
            self.source = source
            self.isLocal = isLocal
            formerBytes = source.receivedBytes
        }
    }

    private let key: HTTPResourcePool.Key
    private let policy: HTTPByteSource.Policy
    private let sources: HTTPResourcePool
    private let terms: FreshnessRequirement
    /// What is known of the resources that this one refers to.
    private let parts: ValidatedResources
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
        _ sources: HTTPResourcePool,
        renewal: HTTPByteSource.Renewal? = nil
    ) throws(MediaError) {
        key = HTTPResourcePool.Key(
            address: try HTTPByteSource.address(url, options),
            options: options,
            isNestedInPublic: policy.isNestedInPublic
        )
        self.policy = policy
        self.sources = sources
        self.renewal = renewal
        parts = ValidatedResources()
        terms = FreshnessRequirement(parts: parts)
    }

    /// A part of what another one refers to.
    private init(
        _ key: HTTPResourcePool.Key,
        _ policy: HTTPByteSource.Policy,
        _ sources: HTTPResourcePool,
        _ terms: FreshnessRequirement,
        _ parts: ValidatedResources
    ) {
        self.key = key
        self.policy = policy
        self.sources = sources
        self.terms = terms
        self.parts = parts
        renewal = nil
    }

    deinit { if let opened { sources.release(key, opened.source) } }

    /// The URL without credentials and query.
    public var name: String { key.address.name }
    /// nil until the first bytes have come, and where the server does not say.
    public var byteCount: Int64? { source?.byteCount }
    /// False for a server that neither sends ranges nor says how much there is. True until the first bytes have come.
    public var isSeekable: Bool { source?.isSeekable ?? true }
    /// All of it was there when it was opened.
    public var isLocal: Bool { opened?.isLocal ?? false }

    /// The URL, or where the server has led to, without credentials. For what is relative to it; it may hold a token.
    package var location: String { source?.location ?? key.address.text }

    /// Bytes that are fetched ahead of each reader of this source at most, from its next read on, and together as many ahead of those who
    /// read what it refers to; nil: as many as ever. One block of memory may always be.
    package func limitReadAhead(to byteCount: Int?) {
        aheadLimit.withLock { $0 = byteCount.map { Int64(max(Self.leastAhead, $0)) } }
        // Sound and pictures, and of each the next part.
        parts.aheadLimit = byteCount.map { Int64(max(Self.leastAhead, $0 / 4)) }
    }

    /// One block of memory.
    private static let leastAhead = 64 << 10

    /// What this resource refers to. Credentials, and headers that may be secrets, go along to the same origin alone.
    ///
    /// `since`: what the server has said of it since that moment of the machine's clock holds; 0: since this source was made.
    package func referred(_ url: String, kept: CachePolicy, since: Int64) throws(MediaError)
        -> any ByteSource
    {
        let root = source ?? HTTPByteSource(key.address, key.options, policy, nil)
        guard kept != .nowhere else { return try root.referred(url) }
        let (address, own, policy) = try root.reference(url)
        var terms = FreshnessRequirement(
            since: since == 0 ? parts.begun : since,
            parts: parts,
            isNested: true
        )
        terms.isPart = since == 0
        // Another asset has other cookies, and is served from the same bytes.
        terms.cookies = root.cookies
        var options = own
        options.cookies = key.options.cookies
        if kept == .everywhere { options.cache = key.options.cache }
        let key = HTTPResourcePool.Key(
            address: address,
            options: options,
            isNestedInPublic: policy.isNestedInPublic
        )
        return SharedHTTPSource(key, policy, sources, terms, parts)
    }

    /// It has turned out to be another one each time that it is asked for: it is on no disk, and who opens it next asks for it.
    package func setChanging() { source?.setChanging() }

    /// The reader goes on elsewhere: nothing is fetched or held for it any more. It may come back.
    package func leave(_ context: ReadContext) { source?.leave(context) }

    /// All of it is still to be had from it. Not where a server sends its bytes once, in order, and its readers have gone.
    package var isWhole: Bool {
        guard let source else { return true }
        return source.isShareable || source.isComplete || source.isBeingRead
    }

    /// All that has come of it since it was opened, whoever asked for it. It never falls.
    package var receivedBytes: Int64 { opened?.receivedBytes ?? 0 }

    /// What it reads from; nil until it was opened.
    package var source: HTTPByteSource? { opened?.source }

    private var opened: Opened? { if case .open(let opened) = state.withLock({ $0 }) { opened } else { nil } }

    /// Waits for its bytes; for those who read by themselves.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try BlockedRead.read(self, at: offset, into: buffer)
    }

    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        guard !context.isInterrupted else { throw MediaError(.cancelled, "the read was interrupted") }
        let (source, isFixed) = try open(context)
        let limit = terms.isNested ? parts.aheadLimit : aheadLimit.withLock { $0 }
        let count = try source.read(
            at: offset,
            into: buffer,
            context: context,
            aheadLimit: limit,
            cookies: key.options.cookies ?? terms.cookies
        )
        if !isFixed { fix(source) }
        return count
    }

    public func loadingState(for context: ReadContext) -> LoadingState? {
        guard let opened, var loading = opened.source.loadingState(for: context) else { return nil }
        loading.receivedBytes = opened.receivedBytes
        return loading
    }

    /// Nothing: a reader of this source is interrupted by its context.
    public func cancel() {}

    private func open(_ context: ReadContext) throws(MediaError) -> (HTTPByteSource, isFixed: Bool) {
        while true {
            switch state.withLock({ $0 }) {
            case .open(let opened):
                let source = opened.source
                if opened.isFixed || mayStay(with: source) { return (source, opened.isFixed) }
                // A server that sends its bytes once, in order, sends them to each asset anew.
                var options = key.options
                options.cookies = options.cookies ?? terms.cookies
                var own = Opened(HTTPByteSource(key.address, options, policy, nil), isLocal: false)
                own.isFixed = true
                own.source.offer(renewal)
                take(own, insteadOf: source)
                sources.release(key, source)
            case .unopened:
                switch sources.open(key, policy: policy, terms) {
                case .opening(let opening): wait(for: opening)
                case .source(let source, let isLocal):
                    // Another reader of this source may have come first.
                    source.offer(renewal)
                    if !take(Opened(source, isLocal: isLocal), insteadOf: nil) {
                        sources.release(key, source)
                    }
                }
            case .opening(let opening):
                switch opening.outcome {
                case .abandoned: forget(opening)
                case .source(let source, let isLocal, let ground):
                    guard opening.holds(source, ground, for: terms) else {
                        forget(opening)
                        continue
                    }
                    settle(opening, source, isLocal, ground)
                case .waiting:
                    opening.wait(context)
                    throw MediaError(.notReady, "waiting for the server", location: name, isRetryable: true)
                }
            }
        }
    }

    private func mayStay(with source: HTTPByteSource) -> Bool {
        source.isShareable || terms.isNested && source.isComplete
            || source.isClaimed(by: ObjectIdentifier(self))
    }

    private func wait(for opening: ResourceLookup) {
        state.withLock { state in if case .unopened = state { state = .opening(opening) } }
    }

    @discardableResult
    private func take(_ new: Opened, insteadOf old: HTTPByteSource?) -> Bool {
        state.withLock { state in
            var new = new
            switch state {
            case .unopened where old == nil: break
            case .open(let opened) where opened.source === old: new.earlierBytes = opened.receivedBytes
            case .unopened, .opening, .open: return false
            }
            state = .open(new)
            return true
        }
    }

    private func fix(_ source: HTTPByteSource) {
        let isUnasked = state.withLock { state in
            guard case .open(var opened) = state, opened.source === source else { return true }
            opened.isFixed = true
            state = .open(opened)
            return opened.isUnasked
        }
        if terms.isPart, !isUnasked, let identity = source.identity {
            parts.note(identity, of: key, at: source.confirmed)
        }
    }

    private func forget(_ opening: ResourceLookup) {
        state.withLock { state in
            if case .opening(let known) = state, known === opening { state = .unopened }
        }
    }

    private func settle(
        _ opening: ResourceLookup,
        _ source: HTTPByteSource,
        _ isLocal: Bool,
        _ ground: ResourceLookup.FreshnessBasis
    ) {
        var opened = Opened(source, isLocal: isLocal)
        opened.isUnasked = ground != .server && !source.isConfirmed(since: terms.since)
        if ground == .unreachable { parts.noteSilence(of: key.address.origin) }
        let isFirst = state.withLock { state in
            guard case .opening(let known) = state, known === opening else { return false }
            state = .open(opened)
            return true
        }
        guard isFirst else { return }
        source.offer(renewal)
        sources.hold(key, source)
    }
}
