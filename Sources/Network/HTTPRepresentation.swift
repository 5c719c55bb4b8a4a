package import MediaCore

/// Reads one representation of a resource of an http or https server, for any number of readers.
///
/// Bytes are fetched with range requests, up to 4 MiB ahead of each reader. The most recent bytes stay in memory, so
/// a container header that one demuxer has read is available to the next. A connection that ends or stalls is
/// replaced by one that continues at the same offset. If the resource has changed on the server, every read fails
/// with `.resourceChanged`: bytes of two representations are never mixed. The bytes of a live stream, such as internet
/// radio, follow those of the connection before.
///
/// A read does not block a thread. It throws `.notReady` if the bytes are not available, and wakes its reader when
/// they are.
package final class HTTPRepresentation: ByteSource {
    /// Sizes and durations, which tests make small. Durations are in nanoseconds.
    package struct Policy: Sendable {
        /// The number of bytes to fetch ahead of a reader.
        package var window: Int64 = 4 << 20
        /// The number of bytes of the first request for a file. If the index is at the end, the reader moves there, and
        /// bytes that the server has sent meanwhile should not be lost.
        package var firstWindow: Int64 = 512 << 10
        /// The number of bytes to fetch ahead after a reader has moved to another offset. It doubles with each
        /// request.
        package var initialWindow: Int64 = 1 << 20
        /// A reader that moves ahead by at most this many bytes waits for the current request instead of starting a
        /// new one.
        package var skipLimit: Int64 = 512 << 10
        /// A reader that moves back by at most this many bytes counts as reading at the same position.
        package var seekBackTolerance: Int64 = 128 << 10
        package var storeLimit = 32 << 20
        package var fetchLimit = 3
        package var attemptLimit = 3
        package var redirectLimit = 10
        /// The delay before the second attempt. It doubles with each further attempt.
        package var initialRetryDelay: Int64 = 250_000_000
        /// Whether the server has delivered another resource of the presentation, such as the playlist. If it cannot be
        /// reached, it is tried again as for later bytes of one resource.
        package var serverHasResponded = false
        /// The longest `Retry-After` that is accepted from a server.
        package var maximumRetryAfter: Int64 = 30_000_000_000
        /// The number of bytes that a server must send in each `rateInterval`. A server that sends fewer counts as
        /// stalled.
        package var minimumBytesPerInterval = 1024
        /// The interval in which `minimumBytesPerInterval` bytes must arrive. If nil, twice the timeout.
        package var rateInterval: Int64?
        /// The duration for which requests continue after the last reader has left. A new reader may follow at once,
        /// for example when an asset is loaded first and then played.
        package var lingerTime: Int64 = 150_000_000
        /// The duration for which a response keeps a resource fresh for new readers while it is being read.
        package var freshnessLifetime: Int64 = 5_000_000_000
        /// The duration for which fully cached resources of an unreachable origin are used without revalidation.
        package var unreachableTTL: Int64 = 60_000_000_000
        /// Returns whether an address is public.
        package var isPublicAddress: @Sendable (PeerAddress) -> Bool = { $0.isPublic }
        /// The thread that performs the requests, with its clock and timers.
        var loop = TransferLoop.shared

        package init() {}

        /// Follows a redirect.
        ///
        /// - Parameters:
        ///   - location: The target, absolute or relative to `address`.
        ///   - address: The address that has answered. It becomes the target.
        ///   - count: The number of consecutive redirects.
        /// - Throws: `MediaError` if the target is not allowed, or if there are too many redirects.
        func follow(_ location: String, from address: inout HTTPAddress, _ count: inout Int)
            throws(MediaError)
        {
            count += 1
            guard count <= redirectLimit else {
                throw MediaError(.exceedsLimits, "too many redirects (limit \(redirectLimit))")
            }
            address = try address.resolving(location)
        }
    }

    /// The properties of the resource, from responses or from a cache entry.
    struct ResourceMetadata {
        var byteCount: Int64?
        var entityTag: String?
        var lastModified: String?
        /// The value of `If-Range`: a strong entity tag, or a date.
        var validator: String?
        /// Whether the server supports range requests, or nil if unknown.
        var supportsRanges: Bool?
        var isKnown = false
        /// Whether the server has declared the length. Otherwise `byteCount` may have been counted at the end of the
        /// body.
        var declaresByteCount = false
        /// Whether Last-Modified is less than a second before Date. Such a date is a weak validator (RFC 9110,
        /// section 8.8.2.2): the resource may change again and keep its date.
        var isDateWeak = false
        /// Whether a response had `Cache-Control: no-store`.
        var noStore = false
        /// Whether the resource changes with every request, so it is never shared or cached on disk.
        var isVolatile = false
        /// Whether the URL itself led to a public address.
        var isPublic = false
        /// Whether the server sends a live stream without a length, such as internet radio. Each connection continues
        /// it with the bytes that are produced then.
        var isLiveStream = false
        /// The media type of the first response.
        var mediaType: String?

        /// Whether a new request may begin at the first byte again: a changed length or validator would reveal
        /// another representation.
        var canRestart: Bool { !isLiveStream && (declaresByteCount || validator != nil) }

        init() {}

        /// Creates the metadata that a cache entry has recorded.
        init(_ entry: CacheEntry) {
            byteCount = entry.identity.byteCount
            entityTag = entry.identity.entityTag
            lastModified = entry.identity.lastModified
            validator = ResponseHead.validator(entityTag, lastModified)
            supportsRanges = entry.supportsRanges
            isPublic = entry.isPublic
            isKnown = true
            declaresByteCount = true
        }
    }

    /// The state that the lock guards.
    struct State {
        var store: RangeStore
        var metadata = ResourceMetadata()
        var scheduler: RangeScheduler
        var readers: [RangeScheduler.ReaderID: Reader] = [:]
        var fetches: [RangeScheduler.RequestID: Fetch] = [:]
        /// The readers to wake when the lock is released.
        var woken: [ReadContext] = []
        /// The address of the next request: the target of the last redirect.
        var address: HTTPAddress
        /// The address that a chain of redirects begins with: the URL, or its replacement.
        var baseAddress: HTTPAddress
        /// Whether the application is being asked for a replacement of the URL.
        var isRefreshingURL = false
        /// A permanent failure, which every read throws.
        var failure: MediaError?
        /// The error of the last fetch that failed, for readers of a server that sends its bytes only once.
        var lastFailure: MediaError?
        /// The entry in the disk cache, or nil if there is none (yet).
        var entry: CacheEntry?
        /// The number of body bytes received, including those received more than once.
        var receivedBytes: Int64 = 0
        /// When the server last validated the resource, in nanoseconds of the clock, or nil if it has not.
        var validationTime: Int64?
        /// A closure of the application that replaces the URL when the server rejects it.
        var urlRefresh: URLRefresh?
        /// The one shared source that may read a resource whose server sends its bytes only once.
        var owner: ObjectIdentifier?

        /// The bytes that are in memory or in the cache.
        var storedRanges: StoredRanges { StoredRanges(memory: store, disk: entry) }
    }

    let state: Locked<State>
    let resource: HTTPResource
    /// The digest that names the files of the resource in the disk cache, or nil without a cache. The application's key
    /// function makes it in advance, because it must not be called with the lock held or on the loop's thread.
    let cacheKey: [UInt8]?
    /// The cookies for this resource and those that it refers to.
    let cookies: CookieStore
    let policy: Policy
    var loop: TransferLoop { policy.loop }

    /// Returns another URL of the same resource after the server has rejected one with the given error, or nil if
    /// there is none.
    package typealias URLRefresh = @Sendable (MediaError) async -> String?

    /// Creates a source that does not use the cache, without performing I/O. Only `HTTPByteSource` revalidates what a
    /// cache holds.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: The options for requests.
    ///   - policy: The sizes and durations.
    ///   - urlRefresh: Replaces a URL that the server rejects.
    /// - Throws: `MediaError` with the code `.invalidArgument` if the URL is not an http or https URL or the options
    ///   are invalid.
    package convenience init(
        url: String,
        options: NetworkOptions = NetworkOptions(),
        policy: Policy = Policy(),
        urlRefresh: URLRefresh? = nil
    ) throws(MediaError) {
        var options = options
        options.cache = nil
        self.init(try HTTPResource(url: url, options: options), policy, CookieStore(), nil)
        offerURLRefresh(urlRefresh)
    }

    /// Creates a source that continues with a validated cache entry, if there is one. The cookies are those of the
    /// asset, unless the options have a store. `cacheKey` is the key of the resource, or nil if nothing is cached.
    init(
        _ resource: HTTPResource,
        _ policy: Policy,
        _ cookies: CookieStore,
        _ entry: CacheEntry?,
        cacheKey: [UInt8]? = nil
    ) {
        self.resource = resource
        self.cacheKey = cacheKey
        var policy = policy
        // Segments of a playlist are read from their start to their end.
        if resource.referrer != .none { policy.firstWindow = policy.window }
        self.policy = policy
        self.cookies = resource.options.cookies ?? cookies
        let address = resource.address
        let start = entry?.location.map { Self.start(at: $0, of: address) } ?? address
        var state = State(
            store: RangeStore(byteLimit: policy.storeLimit),
            scheduler: RangeScheduler(policy),
            address: start,
            baseAddress: address
        )
        if let entry { state.metadata = ResourceMetadata(entry) }
        state.entry = entry
        self.state = Locked(state)
        NetworkMemory.shared.add(self)
    }

    /// Returns the redirect target that a cache entry has recorded, or the URL itself if the target is not allowed.
    private static func start(at location: String, of address: HTTPAddress) -> HTTPAddress {
        do throws(MediaError) {
            return try address.resolving(location)
        } catch {
            return address
        }
    }

    deinit {
        NetworkMemory.shared.remove(ObjectIdentifier(self))
        // No other thread can access the state any more.
        state.withLock { state in
            for fetch in state.fetches.values { cancel(fetch, &state) }
            state.entry?.flush()
        }
    }

    /// The URL without credentials and query.
    package var name: String { resource.address.name }

    /// The URL, or the target of its redirects, without credentials. It is the base of relative references. Its query
    /// may hold a token.
    package var location: String { state.withLock { $0.address.text } }

    /// Returns a source for a resource that this one refers to. Credentials and header fields that may be secret are
    /// sent to the same origin only.
    package func openReferenced(_ url: String) throws(MediaError) -> HTTPRepresentation {
        let target = try resource.referenced(url, isPublic: isPublic, isCached: false)
        return HTTPRepresentation(target, policy, cookies, nil)
    }

    /// The validator of the representation: its entity tag, or else its date and length.
    /// Nil before the first response, if the server declares none of them, and if it changes with every request.
    package var representation: String? {
        let metadata = state.withLock { $0.metadata }
        guard metadata.isKnown, !metadata.isVolatile else { return nil }
        if let tag = metadata.entityTag { return tag }
        let byteCount = metadata.declaresByteCount ? metadata.byteCount.map(String.init) : nil
        let parts = [metadata.lastModified, byteCount].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// The length of the resource, or nil before the first response and if the server does not declare it.
    package var byteCount: Int64? { state.withLock { $0.metadata.byteCount } }
    /// Whether reads may begin at any offset.
    ///
    /// False if the server neither supports range requests nor declares a length or validator. True before the first
    /// response.
    package var isSeekable: Bool {
        state.withLock { $0.metadata.supportsRanges ?? true || $0.metadata.canRestart }
    }
    /// The media type of a live stream, or nil.
    package var liveMediaType: String? {
        state.withLock { $0.metadata.isLiveStream ? $0.metadata.mediaType : nil }
    }
    /// Returns false: the bytes come from a network.
    package var isLocal: Bool { false }

    /// Reads bytes and blocks until they are available. For callers without a `ReadContext`.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - buffer: The memory to fill.
    /// - Returns: The number of bytes read, or 0 at the end.
    /// - Throws: `MediaError` if the bytes cannot be fetched.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    {
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
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        try read(at: offset, into: buffer, context: context, aheadLimit: nil)
    }

    /// Reads bytes for a reader.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - buffer: The memory to fill.
    ///   - context: The reader.
    ///   - aheadLimit: The maximum number of bytes to fetch ahead of this reader from now on, or nil for the limit of
    ///     the policy.
    ///   - cookies: The cookies for requests on behalf of this reader, or nil for those of the source.
    /// - Returns: The number of bytes read, or 0 at the end.
    /// - Throws: `MediaError`; `.notReady` if the reader will be woken when the bytes arrive.
    func read(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        context: ReadContext,
        aheadLimit: Int64?,
        cookies: CookieStore? = nil
    ) throws(MediaError) -> Int {
        guard 0..<ResponseHead.lengthLimit ~= offset, !buffer.isEmpty else { return 0 }
        guard !context.isInterrupted else { throw MediaError(.cancelled, "the read was interrupted") }
        register(context)
        while true {
            let result = try withState { state throws(MediaError) -> ReadResult in
                let key = ObjectIdentifier(context)
                state.readers[key]?.cookies = cookies
                state.scheduler.begin(key, aheadLimit: aheadLimit ?? .max)
                return try readStored(at: offset, into: buffer, context, &state)
            }
            switch result {
            case .bytes(let count): return count
            case .onDisk(let entry):
                // The disk is read without the lock, which the loop's thread also needs. A damaged extent is removed,
                // and the bytes are fetched.
                guard let part = entry.read(at: offset) else { continue }
                state.withLock { state in
                    part.bytes.withUnsafeBytes { store($0, at: part.start, &state) }
                }
            }
        }
    }

    private enum ReadResult {
        case bytes(Int)
        case onDisk(CacheEntry)
    }

    /// Does nothing, because a reader of this source is interrupted through its context.
    package func cancel() {}

    /// Whether a public server has answered, or has referred to the URL.
    var isPublic: Bool { state.withLock { $0.metadata.isPublic } || resource.referrer == .publicServer }

    /// The number of requests that are in progress or wait for another attempt.
    package var fetchCount: Int { state.withLock { $0.fetches.count } }

    /// Copies bytes from memory. Returns the cache entry if it holds them; otherwise starts a request and throws
    /// `.notReady`.
    private func readStored(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        _ context: ReadContext,
        _ state: inout State
    ) throws(MediaError) -> ReadResult {
        let key = ObjectIdentifier(context)
        if let failure = state.failure { throw failure }
        // The context was cancelled after it had been registered.
        guard state.readers[key] != nil else {
            throw MediaError(.cancelled, "the read was interrupted")
        }
        try throwFailure(of: key, &state)
        if let size = state.metadata.byteCount, offset >= size { return .bytes(0) }
        state.scheduler.move(key, to: offset, seekCount: context.seekCount)
        let count = state.store.read(at: offset, into: buffer)
        if count > 0 {
            let end = offset + Int64(count)
            perform(state.scheduler.consume(key, to: end, state.storedRanges, state.metadata), &state)
            return .bytes(count)
        }
        if let entry = state.entry, entry.contains(offset) { return .onDisk(entry) }
        guard let commands = state.scheduler.wait(key, state.storedRanges, state.metadata) else {
            throw onceOnlyError(state)
        }
        perform(commands, &state)
        try throwFailure(of: key, &state)
        throw .waiting(for: "the server", location: name)
    }

    /// Throws the error of a reader, if there is one, and forgets it.
    private func throwFailure(of key: RangeScheduler.ReaderID, _ state: inout State) throws(MediaError) {
        guard let failure = state.readers[key]?.failure else { return }
        state.readers[key]?.failure = nil
        throw failure
    }
}
