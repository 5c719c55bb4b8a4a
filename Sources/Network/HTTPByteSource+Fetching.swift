internal import MediaCore

// The scheduling of range requests. All functions require the source's lock.
extension HTTPByteSource {
    /// Starts or continues a request for the byte that the reader waits for.
    func fetchMissing(for reader: inout Reader, _ state: inout State) throws(MediaError) {
        let offset = reader.offset
        if let fetch = covering(offset, state) {
            markUsed(fetch, offset, &state)
            return
        }
        if state.metadata.supportsRanges == false, !state.metadata.canRestart, state.metadata.isKnown {
            reader.waitingOffset = nil
            let error = MediaError(
                .notSeekable,
                "the server does not support range requests: its bytes can only be read once, in order"
            )
            throw withLocation(state.lastFailure ?? error)
        }
        cancelUnawaited(&state, except: nil)
        try start(at: offset, for: reader, &state)
        reader.window = min(policy.window, reader.window * 2)
    }

    /// Continues fetching before the reader has consumed the bytes that are available.
    func fetchAhead(of reader: inout Reader, _ state: inout State) {
        let storedEnd = contiguousEnd(from: reader.offset, state)
        for fetch in state.fetches
        where fetch.position >= reader.offset && fetch.position <= storedEnd + policy.skipLimit {
            markUsed(fetch, reader.offset, &state)
        }
        guard storedEnd - reader.offset < reader.readAhead / 2, storedEnd != state.failedReadAheadOffset
        else { return }
        if let size = state.metadata.byteCount, storedEnd >= size { return }
        guard covering(storedEnd, state) == nil else { return }
        // A server without range support would begin with the first byte, which is only worth it for a waiting
        // reader.
        guard state.metadata.supportsRanges == true, state.fetches.count < policy.fetchLimit else { return }
        do throws(MediaError) {
            try start(at: storedEnd, for: reader, &state)
            reader.window = min(policy.window, reader.window * 2)
        } catch {
            // The error is reported when a reader requests the byte.
            state.failedReadAheadOffset = storedEnd
        }
    }

    /// Returns the fetch that will soon deliver the byte at `offset`.
    private func covering(_ offset: Int64, _ state: State) -> Fetch? {
        state.fetches.first { $0.covers(offset, skipLimit: policy.skipLimit) }
    }

    /// Records that a reader needs the fetch, and resumes a paused transfer.
    private func markUsed(_ fetch: Fetch, _ offset: Int64, _ state: inout State) {
        state.uses += 1
        fetch.lastUse = state.uses
        fetch.requestedOffset = offset
        if fetch.isPaused, fetch.position - offset <= policy.window / 2 {
            fetch.isPaused = false
            if let transfer = fetch.transfer { loop.resume(transfer) }
        }
    }

    /// Starts a fetch at `offset`. Cancels the least recently used one if there are too many.
    private func start(at offset: Int64, for reader: Reader, _ state: inout State) throws(MediaError) {
        let window = reader.readAhead
        while state.fetches.count >= policy.fetchLimit {
            guard let oldest = state.fetches.min(by: { $0.lastUse < $1.lastUse }) else { break }
            cancel(oldest, &state)
        }
        let isSequential = state.metadata.supportsRanges == false
        var end: Int64? = offset + window
        if let next = nextStored(after: offset, limit: window, state) { end = min(end ?? next, next) }
        if !isSequential { end = limitOverlap(at: offset, end, state) }
        if let size = state.metadata.byteCount { end = min(end ?? size, size) }
        if isSequential { end = nil }
        let fetch = Fetch(
            at: isSequential ? 0 : offset,
            end: end,
            isSequential: isSequential,
            requestedOffset: offset,
            address: state.address,
            cookies: reader.cookies ?? cookies
        )
        state.uses += 1
        fetch.lastUse = state.uses
        state.fetches.append(fetch)
        do throws(MediaError) {
            try request(fetch, state)
        } catch {
            state.fetches.removeAll { $0 === fetch }
            throw withLocation(error)
        }
    }

    /// Prevents fetching bytes twice: the new fetch ends where another one is, and another one ends where the new one
    /// begins.
    private func limitOverlap(at offset: Int64, _ end: Int64?, _ state: State) -> Int64? {
        var end = end
        for other in state.fetches where !other.isSequential {
            if other.position > offset {
                end = min(end ?? other.position, other.position)
            } else if other.end.map({ offset < $0 }) ?? true {
                other.end = offset
            }
        }
        return end
    }

    /// Sends a request for the bytes that the fetch still lacks.
    func request(_ fetch: Fetch, _ state: State) throws(MediaError) {
        let metadata = state.metadata
        var request = TransferRequest(
            to: fetch.address,
            redirectedFrom: state.baseAddress,
            for: resource,
            policy,
            fetch.cookies,
            isReferrerPublic: metadata.isPublic
        )
        if !fetch.isSequential { request.range = (fetch.position, fetch.end.map { $0 - 1 }) }
        request.validator = metadata.validator
        let transfer = Transfer(request, FetchReceiver(self, fetch))
        fetch.transfer = transfer
        fetch.responseAction = nil
        fetch.isPaused = false
        fetch.retryState.byteCount = 0
        fetch.retryState.hasProgress = false
        do throws(MediaError) {
            try loop.start(transfer)
        } catch {
            fetch.transfer = nil
            throw error
        }
    }

    /// Cancels a fetch whose remaining bytes are not needed.
    func cancel(_ fetch: Fetch, _ state: inout State) {
        state.fetches.removeAll { $0 === fetch }
        flushDiskBuffer(fetch, &state)
        if let transfer = fetch.transfer { loop.cancel(transfer) }
        fetch.transfer = nil
    }

    /// Cancels fetches that no reader waits for and that are well ahead of their readers, so that a waiting reader
    /// gets the bandwidth.
    func cancelUnawaited(_ state: inout State, except awaited: Fetch?) {
        for fetch in state.fetches where fetch !== awaited && isFarAhead(fetch, state) {
            cancel(fetch, &state)
        }
    }

    /// Returns true if a reader waits for bytes of the fetch.
    func isAwaited(_ fetch: Fetch, _ state: State) -> Bool {
        state.readers.values.contains {
            $0.waitingOffset.map { fetch.covers($0, skipLimit: policy.skipLimit) } ?? false
        }
    }

    /// Returns true if the fetch is more than `skipLimit` bytes ahead of its reader, and no reader waits for it.
    private func isFarAhead(_ fetch: Fetch, _ state: State) -> Bool {
        !isAwaited(fetch, state) && fetch.position - fetch.requestedOffset > policy.skipLimit
    }

    /// Returns true if a reader waits for bytes of another fetch and this one is well ahead of its readers.
    func mustYield(_ fetch: Fetch, _ state: State) -> Bool {
        state.readers.values.contains { $0.waitingOffset != nil } && isFarAhead(fetch, state)
    }

    /// Returns the error with the name of the resource.
    func withLocation(_ error: MediaError) -> MediaError {
        var error = error
        error.location = name
        return error
    }
}

/// Forwards the events of a fetch to its source while the source exists.
private final class FetchReceiver: TransferReceiver {
    private weak let source: HTTPByteSource?
    private let fetch: Fetch

    init(_ source: HTTPByteSource, _ fetch: Fetch) {
        self.source = source
        self.fetch = fetch
    }

    func received(_ head: ResponseHead, of transfer: Transfer) -> Bool {
        source?.received(head, of: fetch, transfer) ?? false
    }

    func received(_ bytes: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyDisposition {
        source?.received(bytes, of: fetch, transfer) ?? .stop
    }

    func ended(_ transfer: Transfer, _ end: TransferEnd) { source?.ended(end, of: fetch, transfer) }
}
