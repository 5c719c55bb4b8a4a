public import MediaCore

/// Reads an http or https URL through the resources that the process shares, and through the disk cache of its
/// options.
///
/// Assets with the same URL and options share bytes and requests. Each byte is fetched once while it fits into memory
/// (64 MiB for all URLs together, 32 MiB for one) or into the disk cache. A source stays with the representation that
/// it has read from first. If the server has another one, new sources read that one, and bytes that this one lacks
/// are an error with the code `.resourceChanged`.
///
/// ```
///              first read                  result of the lookup             first bytes
///  unopened ---------------> lookingUp --------------------------> open ---------------> open, hasBeenRead
///     |                          |  abandoned, or not fresh           ^                   (never replaced)
///     |<-------------------------+  enough for this asset             |
///     +---------------------------------------------------------------+
///                   the pool has a fresh or validated source
/// ```
///
/// An open source that has not been read is replaced by a source for this asset alone if the server sends its bytes
/// only once.
///
/// `HTTPResourcePool` lists when a stored response is reused.
public final class SharedHTTPSource: ByteSource {
    private enum State {
        case unopened
        case lookingUp(ResourceLookup)
        case open(Opened)
    }

    private struct Opened {
        let source: HTTPByteSource
        var isLocal = false
        /// Whether bytes have been read from the source.
        var hasBeenRead = false
        /// Whether the source is used without the server's validation.
        var isUnvalidated = false
        /// The number of bytes that `source` had received when this source joined it.
        let bytesBeforeJoining: Int64
        /// The number of bytes received through the source that this one replaced.
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
    /// The validations of the resources that this one refers to.
    private let validatedResources: ValidatedResources
    /// A closure of the application that replaces the URL when the server rejects it.
    private let urlRefresh: HTTPByteSource.URLRefresh?
    private let state = Locked(State.unopened)
    private let aheadLimit = Locked<Int64?>(nil)

    /// Creates a source without performing I/O. The first read reports failures of the server.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: The options for requests and the disk cache.
    /// - Throws: `MediaError` with the code `.invalidArgument` if the URL is not an http or https URL or the options
    ///   are invalid.
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

    /// Creates a source for a resource that another one refers to.
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
    /// The length of the resource, or nil before the first response and if the server does not declare it.
    public var byteCount: Int64? { source?.byteCount }
    /// Whether reads may begin at any offset. True before the first response.
    public var isSeekable: Bool { source?.isSeekable ?? true }
    /// Whether all bytes were available locally when the resource was opened.
    public var isLocal: Bool { opened?.isLocal ?? false }

    /// The URL, or the target of its redirects, without credentials. It is the base of relative references. Its query
    /// may hold a token.
    package var location: String { source?.location ?? key.address.text }

    /// Limits the number of bytes to fetch ahead of each reader, from its next read on. The readers of all resources
    /// that this one refers to share the same limit. At least one block of 64 KiB is fetched ahead.
    ///
    /// - Parameter byteCount: The limit, or nil for the limit of the policy.
    package func limitReadAhead(to byteCount: Int?) {
        aheadLimit.withLock { $0 = byteCount.map { Int64(max(Self.minimumReadAhead, $0)) } }
        // A quarter each: two segments of the video and two of the audio playlist.
        validatedResources.aheadLimit = byteCount.map { Int64(max(Self.minimumReadAhead, $0 / 4)) }
    }

    /// The size of one block of memory.
    private static let minimumReadAhead = 64 << 10

    /// Returns a source for a resource that this one refers to. Credentials and header fields that may be secret are
    /// sent to the same origin only.
    ///
    /// - Parameters:
    ///   - url: The reference, absolute or relative to `location`.
    ///   - cachePolicy: Where the bytes may be stored.
    ///   - validatedAfter: A response that the server has validated after this time of the machine's clock needs no
    ///     revalidation. With 0, the time is that of the creation of this source.
    /// - Throws: `MediaError` if the reference is not an allowed URL.
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
        // Assets with different cookies share the same bytes.
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

    /// Marks a resource that changes with every request. It is removed from the disk and not shared any more.
    package func setVolatile() { source?.setVolatile() }

    /// Removes a reader that continues elsewhere. Nothing is fetched or kept for it any more. Its next read adds it
    /// again.
    package func removeReader(_ context: ReadContext) { source?.removeReader(context) }

    /// Whether all bytes can still be read. False if the server sends its bytes only once and the readers have gone.
    package var isReusable: Bool {
        guard let source else { return true }
        return source.isShareable || source.isComplete || source.hasReaders
    }

    /// The number of bytes received since the source was opened, for all readers. It never decreases.
    package var receivedBytes: Int64 { opened?.receivedBytes ?? 0 }

    /// The source that is read, or nil before the resource is open.
    package var source: HTTPByteSource? { opened?.source }

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

    private func open(_ context: ReadContext) throws(MediaError) -> (HTTPByteSource, hasBeenRead: Bool) {
        while true {
            switch state.withLock({ $0 }) {
            case .open(let opened):
                let source = opened.source
                if opened.hasBeenRead || canShare(source) { return (source, opened.hasBeenRead) }
                // A server that sends its bytes only once sends them to each asset separately.
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
                    // Another reader may have opened this source in the meantime.
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

    /// Returns true if this asset may read the source.
    private func canShare(_ source: HTTPByteSource) -> Bool {
        source.isShareable || requirement.isReferenced && source.isComplete
            || source.claim(by: ObjectIdentifier(self))
    }

    private func wait(for lookup: ResourceLookup) {
        state.withLock { state in if case .unopened = state { state = .lookingUp(lookup) } }
    }

    /// Sets the source if the state is still the expected one. Returns false otherwise.
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

    /// Binds this source to the representation, and records the validation of a segment.
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

    /// Returns to the unopened state after a lookup without a usable result.
    private func discard(_ lookup: ResourceLookup) {
        state.withLock { state in
            if case .lookingUp(let current) = state, current === lookup { state = .unopened }
        }
    }

    /// Opens the source that a lookup has found.
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
