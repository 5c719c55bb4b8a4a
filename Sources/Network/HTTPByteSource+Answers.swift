internal import MediaCore

// What servers answer. Called on the loop's thread.
extension HTTPByteSource {
    /// False: the body is none of what was asked for.
    func received(_ head: ResponseHead, of fetch: Fetch, _ transfer: Transfer) -> Bool {
        state.withLock { state in
            guard fetch.transfer === transfer else { return false }
            if fetch.address == state.home, transfer.peer?.isPublic(policy.isPublicAddress) == true {
                state.facts.isPublic = true
            }
            fetch.verdict = judge(head, of: fetch, &state)
            return fetch.verdict == nil
        }
    }

    func received(_ bytes: UnsafeRawBufferPointer, of fetch: Fetch, _ transfer: Transfer) -> BodyDisposition {
        let (reception, woken) = state.withLock { state -> (BodyDisposition, [ReadContext]) in
            guard fetch.transfer === transfer else { return (.enough, []) }
            return take(bytes, of: fetch, &state)
        }
        for context in woken { context.wake() }
        return reception
    }

    func ended(_ end: TransferEnd, of fetch: Fetch, _ transfer: Transfer) {
        let woken = state.withLock { state -> [ReadContext] in
            guard fetch.transfer === transfer else { return [] }
            fetch.transfer = nil
            return conclude(end, of: fetch, &state)
        }
        for context in woken { context.wake() }
    }

    // MARK: The body

    private func take(_ bytes: UnsafeRawBufferPointer, of fetch: Fetch, _ state: inout State) -> (
        BodyDisposition, [ReadContext]
    ) {
        if fetch.isLinear, !isAwaited(fetch, state), fetch.position - fetch.wanted >= policy.window {
            fetch.isPaused = true
            return (.later, [])
        }
        state.receivedBytes += Int64(bytes.count)
        let left = fetch.end.map { Int(clamping: $0 - fetch.position) } ?? Int.max
        let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(left))
        hold(part, at: fetch.position, &state)
        spool(part, of: fetch, &state)
        fetch.position += Int64(part.count)
        fetch.tries.byteCount += Int64(part.count)
        if fetch.position > fetch.reached {
            fetch.reached = fetch.position
            fetch.tries.hasProgress = true
            fetch.tries.redirects = 0
            fetch.tries.isRenewed = false
        }
        let woken = wakeReaders(of: fetch.position - Int64(part.count)..<fetch.position, &state)
        // What follows is there, or comes with another fetch.
        if part.count < bytes.count { return (.enough, woken) }
        if isInTheWay(fetch, state) {
            drop(fetch, &state)
            return (.enough, woken)
        }
        return (.taken, woken)
    }

    private func wakeReaders(of range: Range<Int64>, _ state: inout State) -> [ReadContext] {
        wake(&state) { range.contains($0) }
    }

    private func wake(_ state: inout State, where isThere: (Int64) -> Bool) -> [ReadContext] {
        var woken: [ReadContext] = []
        for (key, reader) in state.readers {
            guard let place = reader.waitsAt, isThere(place) else { continue }
            state.readers[key]?.waitsAt = nil
            if let context = reader.context { woken.append(context) }
        }
        return woken
    }

    // MARK: The end

    private func conclude(_ end: TransferEnd, of fetch: Fetch, _ state: inout State) -> [ReadContext] {
        switch fetch.verdict {
        case .redirect(let location): return follow(location, fetch, &state)
        case .failure(let error): return fail(fetch, with: error, &state)
        case .retry(let error, let delay): return tryAgain(fetch, after: error, delay, &state)
        case .atEnd: return finish(fetch, &state)
        case nil: break
        }
        if let end = fetch.end, fetch.position >= end { return finish(fetch, &state) }
        switch end.reason {
        case .complete where fetch.end == nil:
            // The server has said nothing of a length: now it is known.
            if state.facts.byteCount == nil { state.facts.byteCount = fetch.position }
            return finish(fetch, &state)
        case .tooSlow:
            fetch.tries.hasProgress = false
            return tryAgain(fetch, after: error(of: end, fetch, state), nil, &state)
        case .complete, .stopped, .broken, .noConnection, .noSocket, .timedOut:
            return tryAgain(fetch, after: error(of: end, fetch, state), nil, &state)
        case .noHost where state.facts.isKnown:
            return tryAgain(fetch, after: error(of: end, fetch, state), nil, &state)
        case .refusedByProxy(let status) where status == 408 || status == 429 || status >= 500:
            return tryAgain(fetch, after: error(of: end, fetch, state), nil, &state)
        case .noHost, .noProxy, .refusedByProxy, .untrusted, .tooLong, .privateAddress, .refused:
            return fail(fetch, with: error(of: end, fetch, state), &state)
        }
    }

    private func finish(_ fetch: Fetch, _ state: inout State) -> [ReadContext] {
        state.fetches.removeAll { $0 === fetch }
        unspool(fetch, &state)
        state.entry?.settle()
        let size = state.facts.byteCount ?? .max
        var woken = wake(&state) { $0 >= size }
        // Those for whom it was not enough ask at once.
        for (key, var reader) in state.readers {
            let failure: MediaError?
            if reader.waitsAt != nil {
                failure = missing(for: &reader, &state)
            } else {
                fetchAhead(of: &reader, &state)
                failure = nil
            }
            reader.failure = failure ?? reader.failure
            state.readers[key] = reader
            if failure != nil, let context = reader.context { woken.append(context) }
        }
        return woken
    }

    private func missing(for reader: inout Reader, _ state: inout State) -> MediaError? {
        do throws(MediaError) {
            try fetchMissing(for: &reader, &state)
            return nil
        } catch {
            return error
        }
    }

    /// Who waits for the fetch is told, and nobody else.
    func fail(_ fetch: Fetch, with error: MediaError, _ state: inout State) -> [ReadContext] {
        if renew(fetch, after: error, &state) { return [] }
        state.fetches.removeAll { $0 === fetch }
        unspool(fetch, &state)
        var error = located(error)
        // The demuxer would ask again at once, and as often as it likes: what could help has been tried.
        error.isRetryable = false
        if error.code == .resourceChanged {
            state.failure = error
            for other in state.fetches { drop(other, &state) }
            return wake(&state) { _ in true }
        }
        state.refusedAhead = fetch.position
        state.lastFailure = error
        var woken: [ReadContext] = []
        for (key, var reader) in state.readers {
            guard let place = reader.waitsAt, fetch.covers(place, skipLimit: policy.skipLimit) else {
                continue
            }
            var failure: MediaError? = error
            if isAnother(reader, than: fetch, after: error) { failure = missing(for: &reader, &state) }
            reader.failure = failure
            if failure != nil { reader.waitsAt = nil }
            state.readers[key] = reader
            if failure != nil, let context = reader.context { woken.append(context) }
        }
        return woken
    }

    /// What the server refuses one visitor it may give the other.
    private func isAnother(_ reader: Reader, than fetch: Fetch, after error: MediaError) -> Bool {
        let own = reader.cookies ?? cookies
        guard own !== fetch.cookies, Self.mayHaveExpired(Int(error.underlyingCode)) else { return false }
        return !own.isEmpty(for: fetch.address) || !fetch.cookies.isEmpty(for: fetch.address)
    }

    private func follow(_ location: String, _ fetch: Fetch, _ state: inout State) -> [ReadContext] {
        fetch.tries.redirects += 1
        guard fetch.tries.redirects <= policy.redirectLimit else {
            let words = "the server leads on more than \(policy.redirectLimit) times"
            return fail(fetch, with: MediaError(.exceedsLimits, words), &state)
        }
        do throws(MediaError) {
            fetch.address = try fetch.address.led(to: location)
            try request(fetch, state)
            return []
        } catch {
            return fail(fetch, with: error, &state)
        }
    }

    private func tryAgain(_ fetch: Fetch, after error: MediaError, _ delay: Int64?, _ state: inout State)
        -> [ReadContext]
    {
        // A fetch ahead that nobody waits for is begun again by whoever needs it.
        fetch.tries.count = fetch.tries.hasProgress ? 0 : fetch.tries.count + 1
        guard fetch.tries.count < policy.tryLimit else { return fail(fetch, with: error, &state) }
        if let delay, delay > policy.longestRetryAfter {
            var error = error
            error.message += ": it asks to come back in \(delay / 1_000_000_000) seconds"
            return fail(fetch, with: error, &state)
        }
        if fetch.isLinear, fetch.position > 0 {
            if state.facts.takesRanges == false {
                guard state.facts.canBeginAnew else { return fail(fetch, with: error, &state) }
                fetch.position = 0
            } else {
                fetch.isLinear = false
                fetch.end = min(fetch.end ?? .max, fetch.position + policy.window)
            }
        }
        // The URL that the server led to may be good for a while only.
        fetch.address = state.home
        fetch.tries.redirects = 0
        let isMoving = fetch.tries.byteCount >= Self.solidProgress
        let pause = delay ?? (isMoving ? 0 : policy.backOff << Int64(max(0, fetch.tries.count - 1)))
        do throws(MediaError) {
            guard pause > 0 else {
                try request(fetch, state)
                return []
            }
            try loop.call(after: pause) { [weak self] in self?.wakeUp(fetch) }
            return []
        } catch {
            return fail(fetch, with: error, &state)
        }
    }

    /// Bytes after which a connection that ends is taken up again without a pause.
    private static let solidProgress: Int64 = 16 << 10

    /// The pause before another try is over.
    private func wakeUp(_ fetch: Fetch) {
        let woken = state.withLock { state -> [ReadContext] in
            // It may have been dropped meanwhile.
            guard fetch.transfer == nil, state.fetches.contains(where: { $0 === fetch }) else { return [] }
            do throws(MediaError) {
                try request(fetch, state)
                return []
            } catch {
                return fail(fetch, with: error, &state)
            }
        }
        for context in woken { context.wake() }
    }

    private func error(of end: TransferEnd, _ fetch: Fetch, _ state: State) -> MediaError {
        let code: MediaError.Code
        var words: String
        switch end.reason {
        case .timedOut:
            code = .timedOut
            words = fetch.tries.byteCount > 0 ? "the server sends nothing more" : "the server does not answer"
        case .tooSlow: (code, words) = (.timedOut, "the server sends almost nothing")
        case .noHost: (code, words) = (.notFound, "there is no such host")
        case .noConnection:
            (code, words) = (.io, "the \(proxy == nil ? "server" : "proxy") cannot be reached")
        case .noSocket(let fault):
            (code, words) = (.resourceLimit, "the system gives no socket (\(fault))")
        case .noProxy: (code, words) = (.notFound, "there is no such proxy")
        case .refusedByProxy(let status):
            code = status == 407 || status == 403 ? .permissionDenied : .io
            words = "the proxy does not connect to the server (HTTP \(status))"
        case .untrusted: (code, words) = (.untrustedServer, "the server cannot prove who it is")
        case .tooLong: (code, words) = (.exceedsLimits, "the server's headers are too long")
        case .privateAddress:
            (code, words) = (.forbidden, "a public server leads to a private address, which is refused")
        case .refused(let refusal): (code, words) = (refusal, "the request cannot be made")
        case .complete, .stopped, .broken:
            if let size = state.facts.byteCount, fetch.tries.byteCount > 0 || fetch.position > 0 {
                code = .truncated
                words = "the server sends \(fetch.position) of \(size) bytes, and no more"
            } else {
                (code, words) = (.io, "the server ends the connection without an answer")
            }
        }
        return MediaError(
            code,
            words,
            libraryLog: end.words.isEmpty ? nil : end.words,
            underlyingCode: end.code
        )
    }
}
