public import MediaCore

/// A resource whose bytes the application delivers in pieces, when they arrive.
///
/// Use it for media that is neither a file nor a URL that Playhead loads: a download of the application, a peer-to-peer
/// network, an encrypted container. The source requests parts, and the application answers each request when it can, in any
/// order:
///
///     let source = PushedByteSource(name: "clip.mp4", byteCount: size) { request in
///         download.start(request.offset, request.end) { piece in
///             piece.withUnsafeBytes { request.receive($0) }
///         } completion: {
///             request.finish()
///         }
///     } onCancel: { request in
///         download.stop(request.offset)
///     }
///     let asset = Asset(url: url, options: AssetOptions(byteSource: source))
///
/// Up to three parts are requested at the same time, each of at most 4 MiB, and up to 4 MiB ahead of each reader. The newest
/// bytes stay in memory, at most 32 MiB of them, and a part that was evicted is requested again. A request is cancelled
/// at once when nothing needs it any more: its reader is closed (an item is replaced or released), or a seek continues
/// elsewhere.
///
/// A read does not block a thread. All members may be used from any thread.
public final class PushedByteSource: ByteSource {
    private typealias ReaderID = RangeScheduler.ReaderID
    private typealias RequestID = RangeScheduler.RequestID

    private struct Reader {
        /// The reader retains the source, so this reference is weak.
        weak var context: ReadContext?
        /// The error that the next read throws once.
        var failure: MediaError?
        var seekCount: UInt64
        /// Whether the source is told when the present call of the reader is interrupted.
        var isWaiting = false
        /// The number of calls. An interruption of an older call does not concern the present one.
        var callCount: UInt64 = 0
    }

    private enum Notice {
        case request(Request)
        case cancel(Request)
    }

    /// The state that the lock guards.
    private struct State {
        var store: RangeStore
        var metadata = HTTPRepresentation.ResourceMetadata()
        var scheduler: RangeScheduler
        var readers: [ReaderID: Reader] = [:]
        var requests: [RequestID: Request] = [:]
        /// The reader that each request was started for.
        var owners: [RequestID: ReaderID] = [:]
        /// The bytes that were delivered to requests after they were complete.
        var surplusByteCounts: [RequestID: Int64] = [:]
        /// The readers to wake when the lock is released.
        var woken: [ReadContext] = []
        /// The calls to the application that follow when the lock is released, in order.
        var notices: [Notice] = []
        /// Whether a thread is delivering notices.
        var isNotifying = false
        var receivedBytes: Int64 = 0

        var storedRanges: StoredRanges { StoredRanges(memory: store, disk: nil) }
    }

    private let state: Locked<State>
    private let policy = HTTPRepresentation.Policy()
    private let onRequest: @Sendable (Request) -> Void
    private let onCancel: @Sendable (Request) -> Void
    /// The name of the resource. Its extension helps to detect the format, as that of a file does.
    public let name: String
    /// Whether the bytes are on this machine; false by default. If it is false, the player buffers more of them before it
    /// starts.
    public let isLocal: Bool

    /// Creates a source. Nothing is requested before the first read.
    ///
    /// The closures are called one at a time, in order, on the thread of a read, a delivery or a seek. They must not
    /// block. A request may be answered before its closure returns.
    ///
    /// - Parameters:
    ///   - name: The name of the resource, for error messages.
    ///   - byteCount: The number of bytes, or nil if it is unknown.
    ///   - isSeekable: Whether parts can be requested. If it is false, one request asks for all bytes from the first one
    ///     on, and all bytes stay in memory. A seek does not cancel it.
    ///   - isLocal: Whether the bytes are on this machine.
    ///   - onRequest: Receives each request.
    ///   - onCancel: Receives each request that is not needed any more and has not been finished, and one that receives
    ///     more than 512 KiB after it was complete.
    public init(
        name: String,
        byteCount: Int64?,
        isSeekable: Bool = true,
        isLocal: Bool = false,
        onRequest: @escaping @Sendable (Request) -> Void,
        onCancel: @escaping @Sendable (Request) -> Void
    ) {
        self.name = name
        self.isLocal = isLocal
        self.onRequest = onRequest
        self.onCancel = onCancel
        var state = State(
            store: RangeStore(byteLimit: isSeekable ? policy.storeLimit : .max),
            scheduler: RangeScheduler(policy)
        )
        state.metadata.byteCount = byteCount
        // The application can always be asked from the first byte on again.
        state.metadata.declaresByteCount = true
        state.metadata.supportsRanges = isSeekable
        state.metadata.isKnown = true
        self.state = Locked(state)
        // Evicted bytes of a resource that is sent from the start could only be requested all over again.
        if isSeekable { NetworkMemory.shared.add(self) }
    }

    deinit {
        NetworkMemory.shared.remove(ObjectIdentifier(self))
        // No other thread can access the state any more.
        for request in state.withLock({ $0.requests }).sorted(by: { $0.key < $1.key }) {
            onCancel(request.value)
        }
    }

    /// The number of bytes, or nil if it is unknown.
    public var byteCount: Int64? { state.withLock { $0.metadata.byteCount } }
    /// True: reads may begin at any offset, also if parts cannot be requested.
    public var isSeekable: Bool { true }
    /// The requests that the application has not finished, in the order in which they were made.
    public var requests: [Request] {
        state.withLock { $0.requests.sorted { $0.key < $1.key }.map(\.value) }
    }

    // MARK: ByteSource

    /// Reads bytes and blocks until they are available. For callers without a `ReadContext`.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - buffer: The memory to fill.
    /// - Returns: The number of bytes read, or 0 at the end.
    /// - Throws: `MediaError` if the application reports that a request has failed.
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
        guard 0..<ResponseHead.lengthLimit ~= offset, !buffer.isEmpty else { return 0 }
        guard !context.isInterrupted else { throw Self.interrupted }
        register(context)
        let key = ObjectIdentifier(context)
        let (count, wasWaiting, call) = try withState { state throws(MediaError) -> (Int?, Bool, UInt64) in
            guard let reader = state.readers[key] else { throw Self.interrupted }
            state.readers[key]?.failure = nil
            if let failure = reader.failure { throw failure }
            let call = reader.callCount + 1
            state.readers[key]?.callCount = call
            let count = try readStored(at: offset, into: buffer, context, &state)
            state.readers[key]?.isWaiting = count == nil
            return (count, reader.isWaiting, call)
        }
        if let count {
            if wasWaiting { context.removeInterruptHandler(of: self) }
            return count
        }
        context.onInterrupt(of: self) { [weak self] in self?.interrupt(key, call) }
        throw MediaError(.notReady, "waiting for the application", location: name, isRetryable: true)
    }

    /// Copies bytes from memory. Returns nil, and requests the bytes, if they are missing.
    private func readStored(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        _ context: ReadContext,
        _ state: inout State
    ) throws(MediaError) -> Int? {
        let key = ObjectIdentifier(context)
        if let size = state.metadata.byteCount, offset >= size { return 0 }
        state.scheduler.begin(key, aheadLimit: .max)
        let seekCount = context.seekCount
        state.scheduler.move(key, to: offset, seekCount: seekCount)
        if state.readers[key]?.seekCount != seekCount {
            state.readers[key]?.seekCount = seekCount
            perform(stopRequests(of: key, exceptFor: offset, &state), &state)
        }
        let count = state.store.read(at: offset, into: buffer)
        if count > 0 {
            let end = offset + Int64(count)
            perform(state.scheduler.consume(key, to: end, state.storedRanges, state.metadata), &state)
            return count
        }
        guard let commands = state.scheduler.wait(key, state.storedRanges, state.metadata) else {
            throw MediaError(.notSeekable, "the bytes can only be read once, in order", location: name)
        }
        perform(commands, &state)
        return nil
    }

    private static var interrupted: MediaError { MediaError(.cancelled, "the read was interrupted") }

    /// Does nothing, because a reader of this source is interrupted through its context.
    public func cancel() {}

    /// Returns the loading progress for a reader.
    ///
    /// - Parameter context: The reader.
    /// - Returns: The progress, or nil before the first read of the reader and if the length is unknown.
    public func loadingState(for context: ReadContext) -> LoadingState? {
        state.withLock { state in
            let key = ObjectIdentifier(context)
            guard let size = state.metadata.byteCount, let reader = state.scheduler[key],
                state.readers[key]?.context === context
            else { return nil }
            return LoadingState(
                receivedBytes: state.receivedBytes,
                missingBytes: state.storedRanges.missingByteCount(
                    from: reader.lowestOffset,
                    to: size,
                    step: policy.window
                )
            )
        }
    }

    // MARK: Readers

    private func register(_ context: ReadContext) {
        let key = ObjectIdentifier(context)
        let isNew = state.withLock { state in
            // A new context may have the address of one that is gone.
            guard state.readers[key]?.context !== context else { return false }
            state.readers[key] = Reader(context: context, seekCount: context.seekCount)
            state.scheduler.add(key)
            return true
        }
        guard isNew else { return }
        context.onClose(of: self) { [weak self] in self?.removeReader(key) }
    }

    /// Removes a reader that was closed, and cancels what was requested for it.
    private func removeReader(_ key: ReaderID) {
        withState { state in
            state.readers[key] = nil
            state.scheduler.remove(key)
            let isLast = state.readers.isEmpty
            perform(isLast ? state.scheduler.stopAll() : stopRequests(of: key, &state), &state)
        }
    }

    /// Cancels what was requested for a reader whose wait was interrupted. The reader requests what it needs next.
    private func interrupt(_ key: ReaderID, _ call: UInt64) {
        withState { state in
            guard state.readers[key]?.callCount == call else { return }
            state.readers[key]?.isWaiting = false
            state.scheduler.stopWaiting(key)
            perform(stopRequests(of: key, &state), &state)
        }
    }

    /// Stops the requests that were started for a reader, except for one that is about to deliver an offset.
    private func stopRequests(of key: ReaderID, exceptFor offset: Int64? = nil, _ state: inout State)
        -> [RangeScheduler.Command]
    {
        let unneeded = state.owners.filter { id, owner in
            guard owner == key else { return false }
            // A request for all bytes delivers what any reader needs.
            if state.scheduler[id]?.isSequential == true, state.readers[key] != nil { return false }
            let covers = offset.flatMap { state.scheduler[id]?.covers($0, skipLimit: policy.skipLimit) }
            return covers != true
        }
        return state.scheduler.stop(Set(unneeded.keys))
    }

    // MARK: Requests

    /// Carries out commands of the scheduler, and serves the readers that wait for a byte that no request reaches.
    private func perform(_ commands: [RangeScheduler.Command], _ state: inout State) {
        var commands = commands
        while true {
            for command in commands {
                switch command {
                case .start(let id, let reader):
                    state.scheduler.attempt(id)
                    guard let range = state.scheduler[id] else { continue }
                    let end = range.end ?? state.metadata.byteCount
                    let request = Request(id, of: self, range.position, end)
                    state.requests[id] = request
                    state.owners[id] = reader
                    state.notices.append(.request(request))
                case .stop(let id):
                    if let request = remove(id, &state) { state.notices.append(.cancel(request)) }
                case .resume: break
                }
            }
            let (next, refused) = state.scheduler.serveWaiting(state.storedRanges, state.metadata)
            if !refused.isEmpty {
                let error = MediaError(.notSeekable, "the bytes can only be read once, in order")
                deliver(error, to: refused, &state)
            }
            if next.isEmpty { return }
            commands = next
        }
    }

    private func remove(_ id: RequestID, _ state: inout State) -> Request? {
        state.owners[id] = nil
        state.surplusByteCounts[id] = nil
        return state.requests.removeValue(forKey: id)
    }

    /// Returns whether the application may still answer a request.
    func isOpen(_ request: Request) -> Bool {
        state.withLock { $0.requests[request.id] === request }
    }

    func receive(_ bytes: UnsafeRawBufferPointer, _ request: Request) {
        withState { state in
            guard state.requests[request.id] === request, let range = state.scheduler[request.id] else {
                return
            }
            let rest = request.end.map { max(0, $0 - range.position) } ?? .max
            if rest == 0 { return ignore(bytes, request, &state) }
            let requestedCount = min(bytes.count, Int(clamping: rest))
            guard let reception = state.scheduler.receive(requestedCount, request.id) else { return }
            let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(reception.range.count))
            if !part.isEmpty {
                let needed = state.scheduler.neededRanges
                state.store.write(part, at: reception.range.lowerBound, keeping: needed)
                state.receivedBytes += Int64(part.count)
            }
            wake(reception.woken, &state)
            guard reception.isStopped || !reception.needsMore else { return }
            // The rest is stored already, belongs to another request, or has to wait. A complete request has no rest.
            let isComplete = reception.range.upperBound == request.end
            if let request = remove(request.id, &state), !isComplete {
                state.notices.append(.cancel(request))
            }
            complete(request.id, &state)
        }
    }

    /// Ignores bytes after the end of a request, which remains open until it is finished. An application that does not
    /// stop by itself is informed, because it might deliver the whole rest of the resource.
    private func ignore(_ bytes: UnsafeRawBufferPointer, _ request: Request, _ state: inout State) {
        state.surplusByteCounts[request.id, default: 0] += Int64(bytes.count)
        guard state.surplusByteCounts[request.id, default: 0] > policy.skipLimit else { return }
        if let request = remove(request.id, &state) { state.notices.append(.cancel(request)) }
        complete(request.id, &state)
    }

    func finish(_ request: Request) {
        withState { state in
            guard state.requests[request.id] === request, let range = state.scheduler[request.id] else {
                return
            }
            _ = remove(request.id, &state)
            let isEmpty = range.attemptByteCount == 0
            if state.metadata.byteCount == nil, range.end == nil || isEmpty {
                state.metadata.byteCount = range.position
            }
            let end = min(range.end ?? .max, state.metadata.byteCount ?? .max)
            if range.position < end, end < .max, isEmpty || state.metadata.supportsRanges == false {
                // Repeating the request would not end: without ranges it begins at the first byte again.
                let error = MediaError(.truncated, "a request was finished without its bytes")
                deliver(error, to: state.scheduler.fail(request.id), &state)
                perform([], &state)
            } else {
                complete(request.id, &state)
            }
        }
    }

    /// Removes a request that has ended. Readers that need more bytes request them at once.
    private func complete(_ id: RequestID, _ state: inout State) {
        wake(state.scheduler.finish(id, state.metadata), &state)
        perform([], &state)
        perform(state.scheduler.fetchAhead(state.storedRanges, state.metadata), &state)
    }

    func fail(_ request: Request, with error: MediaError) {
        withState { state in
            guard state.requests[request.id] === request else { return }
            _ = remove(request.id, &state)
            deliver(error, to: state.scheduler.fail(request.id), &state)
            perform([], &state)
        }
    }

    /// Makes the next read of each reader throw an error, and wakes them.
    private func deliver(_ error: MediaError, to readers: [ReaderID], _ state: inout State) {
        var error = error
        error.location = name
        for id in readers {
            state.readers[id]?.failure = error
            state.scheduler.stopWaiting(id)
        }
        wake(readers, &state)
    }

    private func wake(_ readers: [ReaderID], _ state: inout State) {
        state.woken += readers.compactMap { state.readers[$0]?.context }
    }

    /// Calls `body` with the lock held, and then wakes readers and informs the application.
    private func withState<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var woken: [ReadContext] = []
        defer {
            for context in woken { context.wake() }
            deliverNotices()
        }
        return try state.withLock { state throws(Failure) in
            defer { swap(&woken, &state.woken) }
            return try body(&state)
        }
    }

    /// Informs the application, unless another thread does it already: in order, without the lock.
    private func deliverNotices() {
        let isFirst = state.withLock { state in
            guard !state.isNotifying, !state.notices.isEmpty else { return false }
            state.isNotifying = true
            return true
        }
        guard isFirst else { return }
        while let notice = nextNotice() {
            switch notice {
            case .request(let request): onRequest(request)
            case .cancel(let request): onCancel(request)
            }
        }
    }

    private func nextNotice() -> Notice? {
        state.withLock { state in
            if state.notices.isEmpty {
                state.isNotifying = false
                return nil
            }
            return state.notices.removeFirst()
        }
    }
}

extension PushedByteSource: MemoryHolder {
    func trim(to byteLimit: Int) {
        state.withLock { $0.store.trim(to: byteLimit, keeping: $0.scheduler.neededRanges) }
    }
}
