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
        case lookingUp(ResourceLookup)
        case open(Opened)
    }

    private struct Opened {
        let source: HTTPByteSource
        var isLocal = false
        /// Bytes of it have been read.
        var hasBeenRead = false
        /// The server could not be asked about it: it is read as it is there.
        var isUnvalidated = false
        /// What had come of it when this one joined.
        let bytesBeforeJoining: Int64
        /// What had come of the one in whose place it is.
        var bytesFromReplacedSource: Int64 = 0

        var receivedBytes: Int64 { bytesFromReplacedSource + source.receivedBytes - bytesBeforeJoining }

        init(_ source: HTTPByteSource, isLocal: Bool) {
            self.source = source
            self.isLocal = isLocal
            bytesBeforeJoining = source.receivedBytes
        }
    }

    private let key: HTTPResourcePool.Key
    private let policy: HTTPByteSource.Policy
    private let pool: HTTPResourcePool
    private let requirement: FreshnessRequirement
    /// What is known of the resources that this one refers to.
    private let validatedResources: ValidatedResources
    /// Who gives another URL of the same resource, when the server refuses this one.
    private let urlRefresh: HTTPByteSource.URLRefresh?
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
        urlRefresh: HTTPByteSource.URLRefresh? = nil
    ) throws(MediaError) {
        try self.init(url: url, options: options, policy: policy, .shared, urlRefresh: urlRefresh)
    }

    init(
        url: String,
        options: NetworkOptions,
        policy: HTTPByteSource.Policy,
        _ pool: HTTPResourcePool,
        urlRefresh: HTTPByteSource.URLRefresh? = nil
    ) throws(MediaError) {
        key = HTTPResourcePool.Key(
            address: try HTTPByteSource.address(url, options),
            options: options,
            isReferencedByPublicServer: policy.isReferencedByPublicServer
        )
        self.policy = policy
        self.pool = pool
        self.urlRefresh = urlRefresh
        validatedResources = ValidatedResources()
        requirement = FreshnessRequirement(validatedResources: validatedResources)
    }

    /// A part of what another one refers to.
    private init(
        _ key: HTTPResourcePool.Key,
        _ policy: HTTPByteSource.Policy,
        _ pool: HTTPResourcePool,
        _ requirement: FreshnessRequirement,
        _ validatedResources: ValidatedResources
    ) {
        self.key = key
        self.policy = policy
        self.pool = pool
        self.requirement = requirement
        self.validatedResources = validatedResources
        urlRefresh = nil
    }

    deinit { if let opened { pool.release(key, opened.source) } }

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
        aheadLimit.withLock { $0 = byteCount.map { Int64(max(Self.minimumReadAhead, $0)) } }
        // Sound and pictures, and of each the next part.
        validatedResources.aheadLimit = byteCount.map { Int64(max(Self.minimumReadAhead, $0 / 4)) }
    }

    /// One block of memory.
    private static let minimumReadAhead = 64 << 10

    /// What this resource refers to. Credentials, and headers that may be secrets, go along to the same origin alone.
    ///
    /// `since`: what the server has said of it since that moment of the machine's clock holds; 0: since this source was made.
    package func openReferenced(_ url: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError)
        -> any ByteSource
    {
        let root = source ?? HTTPByteSource(key.address, key.options, policy, nil)
        guard cachePolicy != .nowhere else { return try root.openReferenced(url) }
        let (address, ownOptions, policy) = try root.reference(url)
        var requirement = FreshnessRequirement(
            validatedAfter: validatedAfter == 0 ? validatedResources.creationTime : validatedAfter,
            validatedResources: validatedResources,
            isReferenced: true
        )
        requirement.isSegment = validatedAfter == 0
        // Another asset has other cookies, and is served from the same bytes.
        requirement.cookies = root.cookies
        var options = ownOptions
        options.cookies = key.options.cookies
        if cachePolicy == .everywhere { options.cache = key.options.cache }
        let key = HTTPResourcePool.Key(
            address: address,
            options: options,
            isReferencedByPublicServer: policy.isReferencedByPublicServer
        )
        return SharedHTTPSource(key, policy, pool, requirement, validatedResources)
    }

    /// It has turned out to be another one each time that it is asked for: it is on no disk, and who opens it next asks for it.
    package func setVolatile() { source?.setVolatile() }

    /// The reader goes on elsewhere: nothing is fetched or held for it any more. It may come back.
    package func removeReader(_ context: ReadContext) { source?.removeReader(context) }

    /// All of it is still to be had from it. Not where a server sends its bytes once, in order, and its readers have gone.
    package var isReusable: Bool {
        guard let source else { return true }
        return source.isShareable || source.isComplete || source.hasReaders
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
        let (source, hasBeenRead) = try open(context)
        let limit = requirement.isReferenced ? validatedResources.aheadLimit : aheadLimit.withLock { $0 }
        let count = try source.read(
            at: offset,
            into: buffer,
            context: context,
            aheadLimit: limit,
            cookies: key.options.cookies ?? requirement.cookies
        )
        if !hasBeenRead { markRead(source) }
        return count
    }

    public func loadingState(for context: ReadContext) -> LoadingState? {
        guard let opened, var loading = opened.source.loadingState(for: context) else { return nil }
        loading.receivedBytes = opened.receivedBytes
        return loading
    }

    /// Nothing: a reader of this source is interrupted by its context.
    public func cancel() {}

    private func open(_ context: ReadContext) throws(MediaError) -> (HTTPByteSource, hasBeenRead: Bool) {
        while true {
            switch state.withLock({ $0 }) {
            case .open(let opened):
                let source = opened.source
                if opened.hasBeenRead || canShare(source) { return (source, opened.hasBeenRead) }
                // A server that sends its bytes once, in order, sends them to each asset anew.
                var options = key.options
                options.cookies = options.cookies ?? requirement.cookies
                var ownOptions = Opened(HTTPByteSource(key.address, options, policy, nil), isLocal: false)
                ownOptions.hasBeenRead = true
                ownOptions.source.offerURLRefresh(urlRefresh)
                install(ownOptions, replacing: source)
                pool.release(key, source)
            case .unopened:
                switch pool.open(key, policy: policy, requirement) {
                case .lookup(let lookup): wait(for: lookup)
                case .source(let source, let isLocal):
                    // Another reader of this source may have come first.
                    source.offerURLRefresh(urlRefresh)
                    if !install(Opened(source, isLocal: isLocal), replacing: nil) {
                        pool.release(key, source)
                    }
                }
            case .lookingUp(let lookup):
                switch lookup.outcome {
                case .abandoned: discard(lookup)
                case .source(let source, let isLocal, let basis):
                    guard lookup.satisfies(source, basis, for: requirement) else {
                        discard(lookup)
                        continue
                    }
                    adopt(lookup, source, isLocal, basis)
                case .waiting:
                    lookup.wait(context)
                    throw MediaError(.notReady, "waiting for the server", location: name, isRetryable: true)
                }
            }
        }
    }

    private func canShare(_ source: HTTPByteSource) -> Bool {
        source.isShareable || requirement.isReferenced && source.isComplete
            || source.claim(by: ObjectIdentifier(self))
    }

    private func wait(for lookup: ResourceLookup) {
        state.withLock { state in if case .unopened = state { state = .lookingUp(lookup) } }
    }

    @discardableResult
    private func install(_ new: Opened, replacing old: HTTPByteSource?) -> Bool {
        state.withLock { state in
            var new = new
            switch state {
            case .unopened where old == nil: break
            case .open(let opened) where opened.source === old:
                new.bytesFromReplacedSource = opened.receivedBytes
            case .unopened, .lookingUp, .open: return false
            }
            state = .open(new)
            return true
        }
    }

    private func markRead(_ source: HTTPByteSource) {
        let isUnvalidated = state.withLock { state in
            guard case .open(var opened) = state, opened.source === source else { return true }
            opened.hasBeenRead = true
            state = .open(opened)
            return opened.isUnvalidated
        }
        if requirement.isSegment, !isUnvalidated, let identity = source.identity {
            validatedResources.recordValidation(identity, of: key, at: source.validationTime)
        }
    }

    private func discard(_ lookup: ResourceLookup) {
        state.withLock { state in
            if case .lookingUp(let current) = state, current === lookup { state = .unopened }
        }
    }

    private func adopt(
        _ lookup: ResourceLookup,
        _ source: HTTPByteSource,
        _ isLocal: Bool,
        _ basis: ResourceLookup.FreshnessBasis
    ) {
        var opened = Opened(source, isLocal: isLocal)
        opened.isUnvalidated = basis != .validated && !source.isValidated(since: requirement.validatedAfter)
        if basis == .unreachable { validatedResources.recordUnreachable(of: key.address.origin) }
        let isFirst = state.withLock { state in
            guard case .lookingUp(let current) = state, current === lookup else { return false }
            state = .open(opened)
            return true
        }
        guard isFirst else { return }
        source.offerURLRefresh(urlRefresh)
        pool.retain(key, source)
    }
}
