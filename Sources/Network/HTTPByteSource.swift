public import FoundationEssentials
public import MediaCore

/// Reads an http or https URL through the resources that the process shares, and through the disk cache of its
/// options.
///
/// Assets with the same URL and options share bytes and requests. Each byte is fetched once while it fits into memory
/// (64 MiB for all URLs together, 32 MiB for one) or into the disk cache. A source stays with the representation that
/// it has read from first. If the server has another one, new sources read that one, and bytes that this one lacks
/// are an error with the code `.resourceChanged`.
///
/// `HTTPResourcePool` finds the source when it is first read. An open source is replaced only if the server sends its
/// bytes only once, and it has not been read or cannot be read again: by a source for this asset alone.
public final class HTTPByteSource: ByteSource, ResourceByteSource {
    private enum State {
        /// Not open, and the lookup that its readers wait for.
        case unopened(HTTPResourcePool.Lookup?)
        case open(Opened)
    }

    private struct Opened {
        let source: HTTPRepresentation
        var isLocal = false
        /// Whether bytes have been read from the source.
        var hasBeenRead = false
        /// Whether the source is used without the server's validation.
        var isStale = false
        /// The number of bytes that `source` had received when this source joined it.
        let bytesBeforeJoining: Int64
        /// The number of bytes received through the source that this one replaced.
        var bytesFromReplacedSource: Int64 = 0

        var receivedBytes: Int64 { bytesFromReplacedSource + source.receivedBytes - bytesBeforeJoining }

        init(_ source: HTTPRepresentation) {
            self.source = source
            bytesBeforeJoining = source.receivedBytes
        }

        init(_ result: HTTPResourcePool.Result) {
            self.init(result.source)
            (isLocal, isStale) = (result.isLocal, result.isStale)
        }
    }

    let resource: HTTPResource
    let policy: HTTPRepresentation.Policy
    /// The cookies of the asset, for its requests.
    let cookies: CookieStore
    private let pool: HTTPResourcePool
    private let requirement: Freshness.Requirement
    /// The freshness of this resource and of those that it refers to, for the asset.
    private let freshness: Locked<Freshness>
    /// A closure of the application that replaces the URL when the server rejects it.
    private let urlRefresh: HTTPRepresentation.URLRefresh?
    private let state = Locked(State.unopened(nil))
    /// The read-ahead limits for the readers of this resource, and of those that it refers to.
    private let aheadLimit: Locked<Int64?>
    private let referencedAheadLimit: Locked<Int64?>

    /// Creates a source without performing I/O. The first read reports failures of the server.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: The options for requests and the disk cache.
    /// - Throws: `MediaError` with the code `.invalidArgument` if the URL is not an http or https URL or the options
    ///   are invalid.
    public convenience init(url: URL, options: NetworkOptions = NetworkOptions()) throws(MediaError) {
        try self.init(url: url.absoluteString, options: options)
    }

    package convenience init(
        url: String,
        options: NetworkOptions,
        policy: HTTPRepresentation.Policy = HTTPRepresentation.Policy(),
        urlRefresh: HTTPRepresentation.URLRefresh? = nil
    ) throws(MediaError) {
        try self.init(url: url, options: options, policy: policy, .shared, urlRefresh: urlRefresh)
    }

    init(
        url: String,
        options: NetworkOptions,
        policy: HTTPRepresentation.Policy,
        _ pool: HTTPResourcePool,
        urlRefresh: HTTPRepresentation.URLRefresh? = nil
    ) throws(MediaError) {
        resource = try HTTPResource(url: url, options: options)
        self.policy = policy
        self.pool = pool
        self.urlRefresh = urlRefresh
        cookies = options.cookies ?? CookieStore()
        requirement = .file
        freshness = Locked(Freshness(creationTime: policy.loop.now))
        aheadLimit = Locked(nil)
        referencedAheadLimit = Locked(nil)
    }

    /// Creates a source for a resource that another one refers to.
    private init(
        _ resource: HTTPResource,
        from root: HTTPByteSource,
        _ requirement: Freshness.Requirement,
        _ cookies: CookieStore,
        _ policy: HTTPRepresentation.Policy
    ) {
        self.resource = resource
        self.requirement = requirement
        self.cookies = cookies
        self.policy = policy
        pool = root.pool
        freshness = root.freshness
        aheadLimit = root.referencedAheadLimit
        referencedAheadLimit = root.referencedAheadLimit
        urlRefresh = nil
    }

    deinit { if let source { pool.release(resource, source) } }

    /// The URL without credentials and query.
    public var name: String { resource.address.name }
    /// The length of the resource, or nil before the first response and if the server does not declare it.
    public var byteCount: Int64? { source?.byteCount }
    /// Whether reads may begin at any offset. True before the first response.
    public var isSeekable: Bool { source?.isSeekable ?? true }
    /// Whether all bytes were available locally when the resource was opened.
    public var isLocal: Bool { opened?.isLocal ?? false }

    /// The URL, or the target of its redirects, without credentials. It is the base of relative references. Its query
    /// may hold a token.
    package var location: String { source?.location ?? resource.address.text }

    /// Limits the number of bytes to fetch ahead of each reader, from its next read on. The readers of all resources
    /// that this one refers to share the same limit. At least one block of 64 KiB is fetched ahead.
    ///
    /// - Parameter byteCount: The limit, or nil for the limit of the policy.
    package func limitReadAhead(to byteCount: Int?) {
        aheadLimit.withLock { $0 = byteCount.map { Int64(max(Self.minimumReadAhead, $0)) } }
        // A quarter each: two segments of the video and two of the audio playlist.
        referencedAheadLimit.withLock { limit in
            limit = byteCount.map { Int64(max(Self.minimumReadAhead, $0 / 4)) }
        }
    }

    /// The size of one block of memory.
    private static let minimumReadAhead = 64 << 10

    package var isFile: Bool { false }
    /// The network's clock in nanoseconds.
    package var now: Int64 { policy.loop.now }

    package func wake(_ context: ReadContext, after delay: Int64) throws(MediaError) {
        try policy.loop.call(after: delay) { [weak context] in context?.wake() }
    }

    /// Returns a source for a resource that this one refers to. Credentials and header fields that may be secret are
    /// sent to the same origin only.
    ///
    /// - Parameters:
    ///   - url: The reference, absolute or relative to `location`.
    ///   - cachePolicy: Where the bytes may be stored.
    ///   - validatedAfter: A response that the server has validated after this time, by `now`, needs no revalidation.
    ///     With 0, the time is that of the creation of this source.
    /// - Throws: `MediaError` if the reference is not an allowed URL.
    package func openReferenced(_ url: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError)
        -> any ResourceByteSource
    {
        let source = source
        let target = try resource.referenced(
            url,
            isPublic: source?.isPublic ?? (resource.referrer == .publicServer),
            isCached: cachePolicy == .everywhere
        )
        // Assets with different cookies share the same bytes.
        let cookies = source?.cookies ?? cookies
        var policy = policy
        policy.serverHasResponded = target.address.origin == resource.address.origin
        guard cachePolicy != .nowhere else { return HTTPRepresentation(target, policy, cookies, nil) }
        let requirement = validatedAfter == 0 ? Freshness.Requirement.segment : .validated(validatedAfter)
        return HTTPByteSource(target, from: self, requirement, cookies, policy)
    }

    /// Marks a resource that changes with every request. It is removed from the disk and not shared any more.
    package func setVolatile() { source?.setVolatile() }

    /// Removes a reader that continues elsewhere. Nothing is fetched or kept for it any more. Its next read adds it
    /// again.
    package func removeReader(_ context: ReadContext) { source?.removeReader(context) }

    /// Whether all bytes can still be read. False if the server sends its bytes only once and the readers have gone.
    package var isReusable: Bool {
        guard let response = source?.storedResponse else { return true }
        return response.isShareable || response.isComplete || response.isBeingRead
    }

    /// The media type that the server declares for a live stream, or nil.
    package var liveMediaType: String? { source?.liveMediaType }

    /// The number of bytes received since the source was opened, for all readers. It never decreases.
    package var receivedBytes: Int64 { opened?.receivedBytes ?? 0 }

    /// The source that is read, or nil before the resource is open.
    package var source: HTTPRepresentation? { opened?.source }

    private var opened: Opened? { if case .open(let opened) = state.withLock({ $0 }) { opened } else { nil } }

    /// Reads bytes and blocks until they are available. For callers without a `ReadContext`.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - buffer: The memory to fill.
    /// - Returns: The number of bytes read, or 0 at the end.
    /// - Throws: `MediaError` if the bytes cannot be fetched.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try BlockedRead.read(self, at: offset, into: buffer)
    }

    /// Reads bytes for a reader without blocking.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - buffer: The memory to fill.
    ///   - context: The reader, which is woken when bytes arrive.
    /// - Returns: The number of bytes read, or 0 at the end.
    /// - Throws: `MediaError`; `.notReady` if the reader will be woken when the bytes arrive.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        guard !context.isInterrupted else { throw MediaError(.cancelled, "the read was interrupted") }
        let (source, hasBeenRead) = try open(context)
        let count = try source.read(
            at: offset,
            into: buffer,
            context: context,
            aheadLimit: aheadLimit.withLock { $0 },
            cookies: isReferenced ? cookies : nil
        )
        if !hasBeenRead { markRead(source) }
        return count
    }

    /// Returns the loading progress for a reader.
    ///
    /// - Parameter context: The reader.
    /// - Returns: The progress, or nil before the first read of the reader and if the length is unknown.
    public func loadingState(for context: ReadContext) -> LoadingState? {
        guard let opened, var loading = opened.source.loadingState(for: context) else { return nil }
        loading.receivedBytes = opened.receivedBytes
        return loading
    }

    /// Does nothing, because a reader of this source is interrupted through its context.
    public func cancel() {}

    private func open(_ context: ReadContext) throws(MediaError) -> (HTTPRepresentation, hasBeenRead: Bool) {
        while true {
            switch state.withLock({ $0 }) {
            case .open(let opened):
                let source = opened.source
                if opened.hasBeenRead ? !source.isSpent : canShare(source) {
                    return (source, opened.hasBeenRead)
                }
                // A server that sends its bytes only once sends them to each asset separately, and again to a reader
                // that begins when no other one is left.
                let key = resource.cacheKey()
                var own = Opened(HTTPRepresentation(resource, policy, cookies, nil, cacheKey: key))
                own.hasBeenRead = true
                own.source.offerURLRefresh(urlRefresh)
                if install(own, replacing: source) { pool.release(resource, source) }
            case .unopened(let lookup):
                switch pool.open(self, after: lookup, context) {
                case .waiting(let lookup):
                    state.withLock { state in if case .unopened = state { state = .unopened(lookup) } }
                    throw .waiting(for: "the server", location: name)
                case .found(let result):
                    result.source.offerURLRefresh(urlRefresh)
                    // Another reader may have opened this source in the meantime.
                    if !install(Opened(result), replacing: nil) { pool.release(resource, result.source) }
                }
            }
        }
    }

    /// Returns true if this asset may read the source.
    private func canShare(_ source: HTTPRepresentation) -> Bool {
        let response = source.storedResponse
        return response.isShareable || isReferenced && response.isComplete
            || source.claim(by: ObjectIdentifier(self))
    }

    /// Sets the source if the state is still the expected one. Returns false otherwise.
    private func install(_ new: Opened, replacing old: HTTPRepresentation?) -> Bool {
        state.withLock { state in
            var new = new
            switch state {
            case .unopened where old == nil: break
            case .open(let opened) where opened.source === old:
                new.bytesFromReplacedSource = opened.receivedBytes
            case .unopened, .open: return false
            }
            state = .open(new)
            return true
        }
    }

    /// Binds this source to the representation, and records the validation of a segment.
    private func markRead(_ source: HTTPRepresentation) {
        let isStale = state.withLock { state in
            guard case .open(var opened) = state, opened.source === source else { return true }
            opened.hasBeenRead = true
            state = .open(opened)
            return opened.isStale
        }
        guard requirement == .segment, !isStale else { return }
        let response = source.storedResponse
        guard let identity = response.identity, let time = response.validationTime else { return }
        freshness.withLock { $0.recordValidation(of: identity, resource, at: time) }
    }

    // MARK: Freshness

    /// Whether another resource refers to this one.
    var isReferenced: Bool { resource.referrer != .none }

    /// Returns how this asset may use a stored response now.
    func use(of response: StoredResponse) -> Freshness.Use {
        freshness.withLock { $0.use(of: response, resource, requirement, at: now, policy) }
    }

    /// Returns when the server has validated the representation for this asset, or nil if it has not.
    func validationTime(of identity: CacheIndex.Identity?) -> Int64? {
        identity.flatMap { identity in freshness.withLock { $0.validationTime(of: identity, resource) } }
    }

    /// Records that the server cannot be reached now.
    func recordUnreachable() { freshness.withLock { $0.recordUnreachable(resource, at: now) } }
}
