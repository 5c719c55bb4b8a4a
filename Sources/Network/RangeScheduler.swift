internal import MediaCore

/// Decides which byte ranges of a resource are requested, from the positions of its readers and the progress of its
/// requests.
///
/// A value without I/O, clock and lock. `HTTPRepresentation` and `PushedByteSource` report each event by one call and carry
/// out the commands:
///
/// | event | function |
/// |---|---|
/// | a reader reads for the first time, has closed | `add`, `remove` |
/// | a reader reads: it moves, has read bytes, or waits for a byte | `begin`, `move`, `consume`, `wait` |
/// | no reader has come back in `lingerTime` | `stopUnread` |
/// | an attempt begins, a response is accepted | `attempt`, `acceptPart`, `acceptWhole` |
/// | bytes arrive | `mustPause`, `receive` |
/// | a request is complete, can be repeated, has failed | `finish` and `fetchAhead`, `retry`, `fail` |
///
/// After each event it asks `serveWaiting`. Then:
///
/// * At most `fetchLimit` requests are in progress.
/// * Requests for ranges do not overlap, and none is for more than `window` bytes.
/// * A request reaches the byte that a reader waits for, or `fetchLimit` other requests are in progress. The reader is
///   served when one of them ends.
struct RangeScheduler {
    typealias ReaderID = ObjectIdentifier
    typealias RequestID = UInt64

    enum Command: Hashable, Sendable {
        /// Sends a new request on behalf of a reader.
        case start(RequestID, for: ReaderID)
        /// Cancels a request, which has been removed.
        case stop(RequestID)
        /// Resumes the paused transfer of a request.
        case resume(RequestID)
    }

    /// The next step of a request whose attempt has failed.
    enum Retry: Hashable, Sendable {
        /// It is repeated after a number of nanoseconds.
        case after(Int64)
        case never
    }

    /// The next step after bytes have been received.
    struct Reception: Hashable, Sendable {
        /// The range of the bytes to store.
        var range: Range<Int64>
        /// The readers that waited for one of them.
        var woken: [ReaderID]
        /// Whether one of them has not been received before.
        var isProgress: Bool
        /// Whether the request needs more bytes.
        var needsMore: Bool
        /// Whether the request was removed, so that readers that wait get the bandwidth.
        var isStopped = false
    }

    let policy: HTTPRepresentation.Policy
    /// The readers, in the order of their first reads.
    var readers: [Reader] = []
    /// The requests in progress and those that wait for their next attempt, in the order of their start.
    var requests: [RangeRequest] = []
    /// The offset at which reading ahead failed. It is tried again when a reader requests that byte.
    var failedReadAheadOffset: Int64?
    /// Numbers the requests and their uses.
    private var uses: UInt64 = 0

    init(_ policy: HTTPRepresentation.Policy) { self.policy = policy }

    subscript(_ id: RequestID) -> RangeRequest? { requests.first { $0.id == id } }
    subscript(_ id: ReaderID) -> Reader? { readers.first { $0.id == id } }

    func index(_ id: ReaderID) -> Int? { readers.firstIndex { $0.id == id } }
    func index(_ id: RequestID) -> Int? { requests.firstIndex { $0.id == id } }

    // MARK: Readers

    /// Adds a reader with its first read. `isKnown` is false for a resource whose server has not responded yet.
    mutating func add(_ id: ReaderID, isKnown: Bool = true) {
        remove(id)
        let window = isKnown ? policy.window : min(policy.window, policy.firstWindow)
        readers.append(Reader(id: id, window: window))
    }

    /// Removes a reader.
    mutating func remove(_ id: ReaderID) { readers.removeAll { $0.id == id } }

    /// Stops all requests if there are no readers.
    mutating func stopUnread() -> [Command] { readers.isEmpty ? stopAll() : [] }

    /// Stops the given requests, whose reader does not need them any more.
    mutating func stop(_ ids: Set<RequestID>) -> [Command] {
        let stopped = requests.filter { ids.contains($0.id) }
        requests.removeAll { ids.contains($0.id) }
        return stopped.map { .stop($0.id) }
    }

    /// Stops all requests.
    mutating func stopAll() -> [Command] {
        defer { requests = [] }
        return requests.map { .stop($0.id) }
    }

    /// Records that a reader no longer waits, and limits the number of bytes to fetch ahead of it.
    mutating func begin(_ id: ReaderID, aheadLimit: Int64) {
        guard let index = index(id) else { return }
        readers[index].waitingOffset = nil
        readers[index].aheadLimit = aheadLimit
    }

    /// Moves a reader. `seekCount` counts the moves after which it does not return to the previous offset.
    mutating func move(_ id: ReaderID, to offset: Int64, seekCount: UInt64) {
        guard let index = index(id) else { return }
        readers[index].move(to: offset, seekCount, policy)
    }

    /// Records that a reader has read up to an offset. Continues to fetch before it has consumed the available bytes.
    mutating func consume(
        _ id: ReaderID,
        to offset: Int64,
        _ stored: StoredRanges,
        _ metadata: HTTPRepresentation.ResourceMetadata
    ) -> [Command] {
        guard let index = index(id) else { return [] }
        readers[index].offset = offset
        return fetchAhead(index, stored, metadata)
    }

    /// Starts or continues a request for the byte that a reader waits for. Returns nil if the server sends its bytes
    /// only once, and has sent that one.
    mutating func wait(
        _ id: ReaderID,
        _ stored: StoredRanges,
        _ metadata: HTTPRepresentation.ResourceMetadata
    ) -> [Command]? {
        guard let index = index(id) else { return [] }
        readers[index].waitingOffset = readers[index].offset
        failedReadAheadOffset = nil
        guard let commands = fetchMissing(index, stored, metadata) else {
            readers[index].waitingOffset = nil
            return nil
        }
        return commands
    }

    /// The ranges that the readers need next.
    var neededRanges: [Range<Int64>] {
        readers.flatMap { reader in
            reader.offsets.map { $0..<$0 + min(policy.window, reader.aheadLimit) }
        }
    }

    /// Records that a reader that waited receives an error.
    mutating func stopWaiting(_ id: ReaderID) {
        if let index = index(id) { readers[index].waitingOffset = nil }
    }

    /// Whether a reader that waits has a request that reaches its byte.
    func isServed(_ reader: Reader) -> Bool {
        guard let offset = reader.waitingOffset else { return true }
        return requests.contains { $0.covers(offset, skipLimit: policy.skipLimit) }
    }

    private mutating func fetchMissing(
        _ index: Int,
        _ stored: StoredRanges,
        _ metadata: HTTPRepresentation.ResourceMetadata
    ) -> [Command]? {
        let offset = readers[index].offset
        if let request = covering(offset) { return markUsed(request, offset) }
        if metadata.isKnown, metadata.supportsRanges == false, !metadata.canRestart { return nil }
        // A waiting reader gets the bandwidth of requests that are far ahead.
        let far = requests.filter(isFarAhead).map(\.id)
        requests.removeAll { far.contains($0.id) }
        return far.map { .stop($0) } + start(at: offset, for: index, stored, metadata)
    }

    mutating func fetchAhead(
        _ index: Int,
        _ stored: StoredRanges,
        _ metadata: HTTPRepresentation.ResourceMetadata
    ) -> [Command] {
        let reader = readers[index]
        let storedEnd = stored.contiguousEnd(from: reader.offset, limit: policy.window)
        var commands: [Command] = []
        for position in requests.indices
        where reader.offset...storedEnd + policy.skipLimit ~= requests[position].position {
            commands += markUsed(position, reader.offset)
        }
        // A reader of the head may move to an index at the end. The first request has enough for it until then.
        let isAtHead = reader.offset < Self.headSize
        let readAhead = isAtHead ? min(reader.readAhead, policy.firstWindow) : reader.readAhead
        // A server without range support would begin with the first byte, which is only worth it for a reader that
        // waits.
        guard metadata.supportsRanges == true, requests.count < policy.fetchLimit,
            storedEnd - reader.offset < readAhead / 2, storedEnd != failedReadAheadOffset,
            metadata.byteCount.map({ storedEnd < $0 }) ?? true, covering(storedEnd) == nil
        else { return commands }
        return commands + start(at: storedEnd, for: index, stored, metadata)
    }

    /// Returns the index of the request that will soon deliver the byte at `offset`.
    private func covering(_ offset: Int64) -> Int? {
        requests.firstIndex { $0.covers(offset, skipLimit: policy.skipLimit) }
    }

    /// Records that a reader needs the request, and resumes a paused transfer.
    private mutating func markUsed(_ index: Int, _ offset: Int64) -> [Command] {
        uses += 1
        requests[index].lastUse = uses
        requests[index].requestedOffset = offset
        guard requests[index].isPaused, requests[index].position - offset <= policy.window / 2 else {
            return []
        }
        requests[index].isPaused = false
        return [.resume(requests[index].id)]
    }

    /// Starts a request at `offset`. Stops the least recently used one if there are too many.
    private mutating func start(
        at offset: Int64,
        for index: Int,
        _ stored: StoredRanges,
        _ metadata: HTTPRepresentation.ResourceMetadata
    ) -> [Command] {
        var commands: [Command] = []
        while requests.count >= policy.fetchLimit,
            let oldest = requests.min(by: { $0.lastUse < $1.lastUse })
        {
            requests.removeAll { $0.id == oldest.id }
            commands.append(.stop(oldest.id))
        }
        let isSequential = metadata.supportsRanges == false
        uses += 1
        var request = RangeRequest(id: uses, at: isSequential ? 0 : offset, isSequential, offset)
        if !isSequential {
            let window = readers[index].readAhead
            var end = min(offset + window, metadata.byteCount ?? .max)
            if let next = stored.nextStored(after: offset, limit: window) { end = min(end, next) }
            request.end = limitOverlap(at: offset, end)
        }
        requests.append(request)
        // Only the first request for a resource is small. After a jump reading ahead grows.
        let grown = min(policy.window, readers[index].window * 2)
        readers[index].window = metadata.isKnown ? grown : policy.window
        return commands + [.start(request.id, for: readers[index].id)]
    }

    /// Prevents fetching bytes twice: a new request ends where another one is, and another one ends where the new one
    /// begins. Returns the end of the new one.
    mutating func limitOverlap(at offset: Int64, _ end: Int64) -> Int64 {
        var end = end
        for index in requests.indices where !requests[index].isSequential {
            if requests[index].position > offset {
                end = min(end, requests[index].position)
            } else if requests[index].end.map({ offset < $0 }) ?? true {
                requests[index].end = offset
            }
        }
        return end
    }

    /// Starts requests for readers that wait for a byte that no request reaches, as far as the limit allows. Returns
    /// the commands, and the readers whose byte the server has sent and does not send again.
    mutating func serveWaiting(_ stored: StoredRanges, _ metadata: HTTPRepresentation.ResourceMetadata)
        -> (commands: [Command], refused: [ReaderID])
    {
        var (commands, refused): ([Command], [ReaderID]) = ([], [])
        for index in readers.indices where !isServed(readers[index]) {
            guard requests.count < policy.fetchLimit else { break }
            if let started = fetchMissing(index, stored, metadata) {
                commands += started
            } else {
                readers[index].waitingOffset = nil
                refused.append(readers[index].id)
            }
        }
        return (commands, refused)
    }
}
