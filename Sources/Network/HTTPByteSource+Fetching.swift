internal import MediaCore

// Which parts are fetched, and when. All of it under the source's lock.
extension HTTPByteSource {
    /// The byte that the reader waits for is not there.
    func fetchMissing(for reader: inout Reader, _ state: inout State) throws(MediaError) {
        let offset = reader.offset
        if let fetch = covering(offset, state) {
            touch(fetch, offset, &state)
            return
        }
        if state.facts.takesRanges == false, !state.facts.canBeginAnew, state.facts.isKnown {
            reader.waitsAt = nil
            let once = MediaError(.notSeekable, "this server sends its bytes only once, in order")
            throw located(state.lastFailure ?? once)
        }
        dropUnawaited(&state, except: nil)
        try start(at: offset, for: reader, &state)
        reader.window = min(policy.window, reader.window * 2)
    }

    /// Goes on fetching before the reader has used up what is there.
    func fetchAhead(of reader: inout Reader, _ state: inout State) {
        let held = runEnd(from: reader.offset, state)
        for fetch in state.fetches
        where fetch.position >= reader.offset && fetch.position <= held + policy.skipLimit {
            touch(fetch, reader.offset, &state)
        }
        guard held - reader.offset < reader.reach / 2, held != state.refusedAhead else { return }
        if let size = state.facts.byteCount, held >= size { return }
        guard covering(held, state) == nil else { return }
        // A server without ranges would begin with the first byte: that is for those who wait.
        guard state.facts.takesRanges == true, state.fetches.count < policy.fetchLimit else { return }
        do throws(MediaError) {
            try start(at: held, for: reader, &state)
            reader.window = min(policy.window, reader.window * 2)
        } catch {
            // Whoever asks for the byte is told.
            state.refusedAhead = held
        }
    }

    private func covering(_ offset: Int64, _ state: State) -> Fetch? {
        state.fetches.first { $0.covers(offset, skipLimit: policy.skipLimit) }
    }

    private func touch(_ fetch: Fetch, _ offset: Int64, _ state: inout State) {
        state.uses += 1
        fetch.lastUse = state.uses
        fetch.wanted = offset
        if fetch.isPaused, fetch.position - offset <= policy.window / 2 {
            fetch.isPaused = false
            if let transfer = fetch.transfer { loop.resume(transfer) }
        }
    }

    private func start(at offset: Int64, for reader: Reader, _ state: inout State) throws(MediaError) {
        let window = reader.reach
        while state.fetches.count >= policy.fetchLimit {
            guard let oldest = state.fetches.min(by: { $0.lastUse < $1.lastUse }) else { break }
            drop(oldest, &state)
        }
        let isLinear = state.facts.takesRanges == false
        var end: Int64? = offset + window
        if let next = nextHeld(after: offset, limit: window, state) { end = min(end ?? next, next) }
        if !isLinear { end = divide(at: offset, end, state) }
        if let size = state.facts.byteCount { end = min(end ?? size, size) }
        if isLinear { end = nil }
        let fetch = Fetch(
            at: isLinear ? 0 : offset,
            end: end,
            isLinear: isLinear,
            wanted: offset,
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
            throw located(error)
        }
    }

    /// What another fetch brings comes once: a new one ends where that one is, and that one where the new one begins.
    private func divide(at offset: Int64, _ end: Int64?, _ state: State) -> Int64? {
        var end = end
        for other in state.fetches where !other.isLinear {
            if other.position > offset {
                end = min(end ?? other.position, other.position)
            } else if other.end.map({ offset < $0 }) ?? true {
                other.end = offset
            }
        }
        return end
    }

    /// One request for what is missing of the fetch.
    func request(_ fetch: Fetch, _ state: State) throws(MediaError) {
        let facts = state.facts
        var headers = options.headers
        if fetch.address.origin != state.home.origin { headers.removeAll { !Self.mayLeaveOrigin($0.name) } }
        let transfer = Transfer(
            TransferRequest(
                address: fetch.address,
                range: fetch.isLinear ? nil : (fetch.position, fetch.end.map { $0 - 1 }),
                validator: facts.validator,
                headers: headers,
                caFile: options.tlsCAFile,
                proxy: proxy,
                cookies: fetch.cookies.jar(of: fetch.address),
                peers: PeerRule(
                    isPublicOnly: !options.allowsPrivateAddresses
                        && (facts.isPublic || policy.isNestedInPublic),
                    isPublic: policy.isPublicAddress
                ),
                timeout: Int64(options.timeout * 1_000_000_000),
                leastBytes: policy.leastBytes
            ),
            FetchReceiver(self, fetch)
        )
        fetch.transfer = transfer
        fetch.verdict = nil
        fetch.isPaused = false
        fetch.tries.byteCount = 0
        fetch.tries.hasProgress = false
        do throws(MediaError) {
            try loop.start(transfer)
        } catch {
            fetch.transfer = nil
            throw error
        }
    }

    /// Nobody wants the rest of it.
    func drop(_ fetch: Fetch, _ state: inout State) {
        state.fetches.removeAll { $0 === fetch }
        unspool(fetch, &state)
        if let transfer = fetch.transfer { loop.cancel(transfer) }
        fetch.transfer = nil
    }

    /// While somebody waits, what is fetched for nobody in particular takes no part of the connection: it may come as far as
    /// a reader that returns is likely to need at once.
    func dropUnawaited(_ state: inout State, except awaited: Fetch?) {
        for fetch in state.fetches where fetch !== awaited && isFarAhead(fetch, state) { drop(fetch, &state) }
    }

    func isAwaited(_ fetch: Fetch, _ state: State) -> Bool {
        state.readers.values.contains {
            $0.waitsAt.map { fetch.covers($0, skipLimit: policy.skipLimit) } ?? false
        }
    }

    private func isFarAhead(_ fetch: Fetch, _ state: State) -> Bool {
        !isAwaited(fetch, state) && fetch.position - fetch.wanted > policy.skipLimit
    }

    /// Somebody waits for bytes of another fetch, and this one has come far enough.
    func isInTheWay(_ fetch: Fetch, _ state: State) -> Bool {
        state.readers.values.contains { $0.waitsAt != nil } && isFarAhead(fetch, state)
    }

    func located(_ error: MediaError) -> MediaError {
        var error = error
        error.location = origin.name
        return error
    }

    static func mayLeaveOrigin(_ header: String) -> Bool {
        let name = header.lowercased()
        return ["user-agent", "referer", "origin"].contains(name) || name.hasPrefix("accept")
    }
}

/// Hands on what comes of a fetch to its source, as long as there is one.
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
        source?.received(bytes, of: fetch, transfer) ?? .enough
    }

    func ended(_ transfer: Transfer, _ end: TransferEnd) { source?.ended(end, of: fetch, transfer) }
}
