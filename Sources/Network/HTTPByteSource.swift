public import MediaCore

/// Reads a resource of an http or https server, for any number of readers.
///
/// Bytes are fetched by ranges, up to 4 MiB ahead of each reader, and the last ones stay in memory: the header that one demuxer
/// has read is there for the next. A connection that ends or hangs is taken up again at the byte that was reached. What does not
/// belong to the same state of the resource is never handed out: then every read fails with `.resourceChanged`.
///
/// A read holds no thread: where nothing is at hand it throws `.notReady`, and its reader is woken.
public final class HTTPByteSource: ByteSource {
    /// Sizes and times, so that tests need not wait.
    package struct Policy: Sendable {
        /// What is fetched ahead of a reader.
        package var window: Int64 = 4 << 20
        /// The same at a place that a reader has only just come to; doubled with each part.
        package var initialWindow: Int64 = 1 << 20
        /// So much further on is waited for rather than asked for.
        package var skipLimit: Int64 = 512 << 10
        /// So much further back is still the same place to read at.
        package var seekBackTolerance: Int64 = 128 << 10
        package var storeLimit = 32 << 20
        package var fetchLimit = 3
        package var attemptLimit = 3
        package var redirectLimit = 10
        /// Nanoseconds before the second try; doubled with each.
        package var initialRetryDelay: Int64 = 250_000_000
        /// Nanoseconds that a server may ask to wait.
        package var maximumRetryAfter: Int64 = 30_000_000_000
        /// Bytes that a server must send in twice the timeout, so as not to count as one that hangs.
        package var minimumRate = 1024
        /// Nanoseconds for which fetching goes on although the last reader has gone: the next one may come at once, as
        /// where an asset is loaded first and then played.
        package var lingerTime: Int64 = 150_000_000
        /// Nanoseconds for which what a server has said of a resource that is being read holds for who joins.
        package var freshnessLifetime: Int64 = 5_000_000_000
        /// Nanoseconds for which an origin that could not be reached is not asked about what is there as a whole.
        package var unreachableTTL: Int64 = 60_000_000_000
        /// A public server named the URL (`isPublic`).
        package var isReferencedByPublicServer = false
        /// A playlist named the URL.
        var isReferenced = false
        /// What counts as a public address.
        package var isPublicAddress: @Sendable (PeerAddress) -> Bool = { $0.isPublic }

        package init() {}
    }

    /// What was learned of the resource.
    struct ResourceMetadata {
        var byteCount: Int64?
        var entityTag: String?
        var lastModified: String?
        /// For `If-Range`.
        var validator: String?
        /// nil: not known yet.
        var supportsRanges: Bool?
        var isKnown = false
        /// The server has said how much there is, which so far may only have been counted.
        var declaresByteCount = false
        /// It had changed so shortly before the server answered that it may do so again and have the same date.
        var isDateWeak = false
        /// The server wants it nowhere on a disk.
        var noStore = false
        /// It is another one each time that it is asked for.
        var isVolatile = false
        /// The URL itself led to a public address.
        var isPublic = false

        /// What one answer gives is what the next one would, or it is noticed.
        var canRestart: Bool { declaresByteCount || validator != nil }

        init() {}

        /// As a cache has them.
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

    struct State {
        var store: RangeStore
        var metadata = ResourceMetadata()
        var readers: [ObjectIdentifier: Reader] = [:]
        var fetches: [Fetch] = []
        /// Requests go there.
        var address: HTTPAddress
        /// Where they begin: the URL, until another one is given for it.
        var baseAddress: HTTPAddress
        /// The program is being asked for another URL.
        var isRefreshingURL = false
        /// Reading is over for good.
        var failure: MediaError?
        /// Fetching ahead has failed here: it is tried again when the byte is asked for.
        var failedReadAheadOffset: Int64?
        /// Why the last fetch ended, for whoever asks for what it would have brought.
        var lastFailure: MediaError?
        var uses: UInt64 = 0
        /// Where it is kept on disk; nil: nowhere, or not yet.
        var entry: CacheEntry?
        /// All that has come, however often.
        var receivedBytes: Int64 = 0
        /// When the server last said that it is the one that it was.
        var validationTime: Int64 = 0
        /// Who gives another URL, when the server refuses this one.
        var urlRefresh: URLRefresh?
        /// Who has it, of a server that sends its bytes only once.
        var owner: ObjectIdentifier?
    }

    let state: Locked<State>
    let origin: HTTPAddress
    let options: NetworkOptions
    let proxy: ProxyAddress?
    /// This resource's, and those that it refers to.
    let cookies: CookieStore
    let policy: Policy
    let loop: TransferLoop

    /// Another URL of the same resource, for one that the server refuses or does not know any more; nil: there is none.
    package typealias URLRefresh = @Sendable (MediaError) async -> String?

    /// Does no I/O: what is wrong with the server is told by the first read. Throws where the URL is none of http or https, or
    /// the options make no request.
    public convenience init(url: String, options: NetworkOptions = NetworkOptions()) throws(MediaError) {
        try self.init(url: url, options: options, policy: Policy())
    }

    /// Alone, it knows of no cache: who opens it again would not ask whether it has changed.
    package convenience init(
        url: String,
        options: NetworkOptions,
        policy: Policy = Policy(),
        urlRefresh: URLRefresh? = nil
    ) throws(MediaError) {
        var options = options
        options.cache = nil
        self.init(try Self.address(url, options), options, policy, nil)
        offerURLRefresh(urlRefresh)
    }

    /// `entry`: what a cache has of it, which has been found to be right.
    init(_ address: HTTPAddress, _ options: NetworkOptions, _ policy: Policy, _ entry: CacheEntry?) {
        origin = address
        self.options = options
        self.policy = policy
        proxy = options.proxy.flatMap { ProxyAddress($0) }
        cookies = options.cookies ?? CookieStore()
        loop = .shared
        let start = entry?.location.map { Self.start(at: $0, of: address) } ?? address
        var state = State(
            store: RangeStore(byteLimit: policy.storeLimit),
            address: start,
            baseAddress: address
        )
        if let entry { state.metadata = ResourceMetadata(entry) }
        state.entry = entry
        self.state = Locked(state)
        NetworkMemory.shared.add(self)
    }

    /// Where the server once led to; the URL itself where that is not allowed.
    private static func start(at location: String, of address: HTTPAddress) -> HTTPAddress {
        do throws(MediaError) {
            return try address.resolving(location)
        } catch {
            return address
        }
    }

    static func address(_ url: String, _ options: NetworkOptions) throws(MediaError) -> HTTPAddress {
        guard let address = HTTPAddress(url) else {
            throw MediaError(.invalidArgument, "this is no http or https URL with a host")
        }
        if let flaw = options.flaw { throw MediaError(.invalidArgument, flaw, location: address.name) }
        return address
    }

    deinit {
        NetworkMemory.shared.remove(ObjectIdentifier(self))
        // Nobody else can see the state any more.
        state.withLock { state in
            for fetch in state.fetches { cancel(fetch, &state) }
            state.entry?.flush()
        }
    }

    /// The URL without credentials and query.
    public var name: String { origin.name }

    /// The URL, or where the server has led to, without credentials. For what is relative to it; it may hold a token.
    package var location: String { state.withLock { $0.address.text } }

    /// What this resource refers to. Credentials, and headers that may be secrets, go along to the same origin alone.
    package func openReferenced(_ url: String) throws(MediaError) -> HTTPByteSource {
        let (address, options, policy) = try reference(url)
        return HTTPByteSource(address, options, policy, nil)
    }

    /// How it is opened, by itself.
    func reference(_ url: String) throws(MediaError) -> (HTTPAddress, NetworkOptions, Policy) {
        let address = try origin.resolving(url)
        var options = options
        options.cookies = cookies
        options.cache = nil
        if address.origin != origin.origin { options.headers.removeAll { !Self.mayCrossOrigins($0.name) } }
        var policy = policy
        policy.isReferencedByPublicServer = isPublic
        policy.isReferenced = true
        return (address, options, policy)
    }

    /// nil until the first bytes have come, and where the server does not say.
    public var byteCount: Int64? { state.withLock { $0.metadata.byteCount } }
    /// False for a server that neither sends ranges nor says how much there is. True until the first bytes have come.
    public var isSeekable: Bool {
        state.withLock { $0.metadata.supportsRanges ?? true || $0.metadata.canRestart }
    }
    public var isLocal: Bool { false }

    /// Waits for its bytes; for those who read by themselves.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try BlockedRead.read(self, at: offset, into: buffer)
    }

    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        try read(at: offset, into: buffer, context: context, aheadLimit: nil)
    }

    /// `aheadLimit`: bytes that are fetched ahead of this reader at most, from now on; nil: as the policy has it. `cookies`: what is sent
    /// with requests that are made for it; nil: the resource's.
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
            let result = try state.withLock { state throws(MediaError) -> ReadResult in
                let key = ObjectIdentifier(context)
                state.readers[key]?.aheadLimit = aheadLimit ?? .max
                state.readers[key]?.cookies = cookies
                return try readStored(at: offset, into: buffer, key, &state)
            }
            switch result {
            case .bytes(let count): return count
            case .onDisk(let entry):
                // Without the lock, which the loop's thread wants too. What is wrong there is not there any more.
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

    /// Nothing: a reader of this source is interrupted by its context.
    public func cancel() {}

    /// A public server has answered: what it names is to be opened with `Policy.isNestedInPublic`.
    package var isPublic: Bool {
        state.withLock { $0.metadata.isPublic } || policy.isReferencedByPublicServer
    }

    /// How many requests are under way, or wait for another try.
    package var fetchCount: Int { state.withLock { $0.fetches.count } }

    private func readStored(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        _ key: ObjectIdentifier,
        _ state: inout State
    ) throws(MediaError) -> ReadResult {
        if let failure = state.failure { throw failure }
        // It has been cancelled since it was enrolled.
        guard var reader = state.readers[key] else {
            throw MediaError(.cancelled, "the read was interrupted")
        }
        defer { if state.readers[key] != nil { state.readers[key] = reader } }
        if let failure = reader.failure {
            reader.failure = nil
            reader.waitingOffset = nil
            throw failure
        }
        reader.waitingOffset = nil
        if let size = state.metadata.byteCount, offset >= size { return .bytes(0) }
        reader.move(to: offset, policy)
        let count = state.store.read(at: offset, into: buffer)
        if count > 0 {
            reader.offset = offset + Int64(count)
            state.readers[key] = reader
            fetchAhead(of: &reader, &state)
            return .bytes(count)
        }
        if let entry = state.entry, entry.contains(offset) { return .onDisk(entry) }
        reader.waitingOffset = offset
        state.readers[key] = reader
        state.failedReadAheadOffset = nil
        try fetchMissing(for: &reader, &state)
        throw MediaError(.notReady, "waiting for the server", location: origin.name, isRetryable: true)
    }
}
