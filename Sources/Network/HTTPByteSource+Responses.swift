internal import MediaCore

// The handling of responses. The first three functions are called on the thread of the transfer loop.
extension HTTPByteSource {
    /// Handles complete response headers. Returns false if the body is not needed.
    func received(_ head: ResponseHead, of fetch: Fetch, _ transfer: Transfer) -> Bool {
        state.withLock { state in
            guard fetch.transfer === transfer else { return false }
            if fetch.address == state.baseAddress, transfer.peer?.isPublic(policy.isPublicAddress) == true {
                state.metadata.isPublic = true
            }
            fetch.responseAction = evaluate(head, of: fetch, &state)
            return fetch.responseAction == nil
        }
    }

    /// Stores bytes of the body and wakes the readers that wait for them.
    func received(_ bytes: UnsafeRawBufferPointer, of fetch: Fetch, _ transfer: Transfer) -> BodyDisposition {
        let (disposition, woken) = state.withLock { state -> (BodyDisposition, [ReadContext]) in
            guard fetch.transfer === transfer else { return (.stop, []) }
            return receiveBody(bytes, of: fetch, &state)
        }
        for context in woken { context.wake() }
        return disposition
    }

    /// Handles the end of a transfer.
    func ended(_ end: TransferEnd, of fetch: Fetch, _ transfer: Transfer) {
        let woken = state.withLock { state -> [ReadContext] in
            guard fetch.transfer === transfer else { return [] }
            fetch.transfer = nil
            return handleEnd(end, of: fetch, &state)
        }
        for context in woken { context.wake() }
    }

    // MARK: Body

    private func receiveBody(_ bytes: UnsafeRawBufferPointer, of fetch: Fetch, _ state: inout State) -> (
        BodyDisposition, [ReadContext]
    ) {
        if fetch.isSequential, !isAwaited(fetch, state),
            fetch.position - fetch.requestedOffset >= policy.window
        {
            fetch.isPaused = true
            return (.pause, [])
        }
        state.receivedBytes += Int64(bytes.count)
        let left = fetch.end.map { Int(clamping: $0 - fetch.position) } ?? Int.max
        let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(left))
        store(part, at: fetch.position, &state)
        bufferForDisk(part, of: fetch, &state)
        fetch.position += Int64(part.count)
        fetch.retryState.byteCount += Int64(part.count)
        if fetch.position > fetch.highestPosition {
            fetch.highestPosition = fetch.position
            fetch.retryState.hasProgress = true
            fetch.retryState.redirects = 0
            fetch.retryState.hasRefreshedURL = false
        }
        let woken = wakeReaders(of: fetch.position - Int64(part.count)..<fetch.position, &state)
        // The remaining bytes are stored already, or belong to another fetch.
        if part.count < bytes.count { return (.stop, woken) }
        if mustYield(fetch, state) {
            cancel(fetch, &state)
            return (.stop, woken)
        }
        return (.accept, woken)
    }

    private func wakeReaders(of range: Range<Int64>, _ state: inout State) -> [ReadContext] {
        wake(&state) { range.contains($0) }
    }

    private func wake(_ state: inout State, where isAvailable: (Int64) -> Bool) -> [ReadContext] {
        var woken: [ReadContext] = []
        for (key, reader) in state.readers {
            guard let offset = reader.waitingOffset, isAvailable(offset) else { continue }
            state.readers[key]?.waitingOffset = nil
            if let context = reader.context { woken.append(context) }
        }
        return woken
    }

    // MARK: End of a transfer

    /// Finishes, repeats or fails the fetch. Returns the readers to wake.
    private func handleEnd(_ end: TransferEnd, of fetch: Fetch, _ state: inout State) -> [ReadContext] {
        switch fetch.responseAction {
        case .redirect(let location): return followRedirect(location, fetch, &state)
        case .failure(let error): return fail(fetch, with: error, &state)
        case .retry(let error, let delay): return retry(fetch, after: error, delay, &state)
        case .atEnd: return finish(fetch, &state)
        case nil: break
        }
        if let end = fetch.end, fetch.position >= end { return finish(fetch, &state) }
        switch end.reason {
        case .complete where fetch.end == nil:
            // The server did not declare a length, so the end of the body determines it.
            if state.metadata.byteCount == nil { state.metadata.byteCount = fetch.position }
            return finish(fetch, &state)
        case .tooSlow:
            fetch.retryState.hasProgress = false
            return retry(fetch, after: error(of: end, fetch, state), nil, &state)
        case .complete, .stopped, .broken, .noConnection, .noSocket, .timedOut:
            return retry(fetch, after: error(of: end, fetch, state), nil, &state)
        case .noHost where state.metadata.isKnown:
            return retry(fetch, after: error(of: end, fetch, state), nil, &state)
        case .refusedByProxy(let status) where status == 408 || status == 429 || status >= 500:
            return retry(fetch, after: error(of: end, fetch, state), nil, &state)
        case .noHost, .noProxy, .refusedByProxy, .untrusted, .headersTooLong, .privateAddress, .refused:
            return fail(fetch, with: error(of: end, fetch, state), &state)
        }
    }

    /// Removes a complete fetch. Returns the readers to wake.
    private func finish(_ fetch: Fetch, _ state: inout State) -> [ReadContext] {
        state.fetches.removeAll { $0 === fetch }
        flushDiskBuffer(fetch, &state)
        state.entry?.flush()
        let size = state.metadata.byteCount ?? .max
        var woken = wake(&state) { $0 >= size }
        // Readers that need more bytes request them at once.
        for (key, var reader) in state.readers {
            let failure: MediaError?
            if reader.waitingOffset != nil {
                failure = fetchError(for: &reader, &state)
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

    /// Requests the missing bytes of a reader. Returns the error if that fails.
    private func fetchError(for reader: inout Reader, _ state: inout State) -> MediaError? {
        do throws(MediaError) {
            try fetchMissing(for: &reader, &state)
            return nil
        } catch {
            return error
        }
    }

    /// Ends a fetch with an error, which only the readers that wait for it receive.
    func fail(_ fetch: Fetch, with error: MediaError, _ state: inout State) -> [ReadContext] {
        if refreshURL(fetch, after: error, &state) { return [] }
        state.fetches.removeAll { $0 === fetch }
        flushDiskBuffer(fetch, &state)
        var error = withLocation(error)
        // All promising retries have been made. Otherwise the demuxer would repeat the read indefinitely.
        error.isRetryable = false
        if error.code == .resourceChanged {
            state.failure = error
            for other in state.fetches { cancel(other, &state) }
            return wake(&state) { _ in true }
        }
        state.failedReadAheadOffset = fetch.position
        state.lastFailure = error
        var woken: [ReadContext] = []
        for (key, var reader) in state.readers {
            guard let offset = reader.waitingOffset, fetch.covers(offset, skipLimit: policy.skipLimit) else {
                continue
            }
            var failure: MediaError? = error
            if canUseOtherCookies(reader, than: fetch, after: error) {
                failure = fetchError(for: &reader, &state)
            }
            reader.failure = failure
            if failure != nil { reader.waitingOffset = nil }
            state.readers[key] = reader
            if failure != nil, let context = reader.context { woken.append(context) }
        }
        return woken
    }

    /// Returns true if the server may accept the cookies of this reader although it has rejected those of the fetch.
    private func canUseOtherCookies(_ reader: Reader, than fetch: Fetch, after error: MediaError) -> Bool {
        let own = reader.cookies ?? cookies
        guard own !== fetch.cookies, Self.mayHaveExpired(Int(error.underlyingCode)) else { return false }
        return !own.isEmpty(for: fetch.address) || !fetch.cookies.isEmpty(for: fetch.address)
    }

    private func followRedirect(_ location: String, _ fetch: Fetch, _ state: inout State) -> [ReadContext] {
        do throws(MediaError) {
            try policy.follow(location, from: &fetch.address, &fetch.retryState.redirects)
            try request(fetch, state)
            return []
        } catch {
            return fail(fetch, with: error, &state)
        }
    }

    private func retry(_ fetch: Fetch, after error: MediaError, _ delay: Int64?, _ state: inout State)
        -> [ReadContext]
    {
        // If the fetch fails, the next reader that needs its bytes starts another one.
        fetch.retryState.count = fetch.retryState.hasProgress ? 0 : fetch.retryState.count + 1
        guard fetch.retryState.count < policy.attemptLimit else { return fail(fetch, with: error, &state) }
        if let delay, delay > policy.maximumRetryAfter {
            var error = error
            error.message += ": the server requests a retry after \(delay / 1_000_000_000) seconds"
            return fail(fetch, with: error, &state)
        }
        if fetch.isSequential, fetch.position > 0 {
            if state.metadata.supportsRanges == false {
                guard state.metadata.canRestart else { return fail(fetch, with: error, &state) }
                fetch.position = 0
            } else {
                fetch.isSequential = false
                fetch.end = min(fetch.end ?? .max, fetch.position + policy.window)
            }
        }
        // The target of a redirect may expire, so each retry begins with the original URL.
        fetch.address = state.baseAddress
        fetch.retryState.redirects = 0
        let isMoving = fetch.retryState.byteCount >= Self.immediateRetryThreshold
        let pause =
            delay ?? (isMoving ? 0 : policy.initialRetryDelay << Int64(max(0, fetch.retryState.count - 1)))
        do throws(MediaError) {
            guard pause > 0 else {
                try request(fetch, state)
                return []
            }
            try loop.call(after: pause) { [weak self] in self?.retryNow(fetch) }
            return []
        } catch {
            return fail(fetch, with: error, &state)
        }
    }

    /// The number of received bytes after which an interrupted connection is replaced without a delay.
    private static let immediateRetryThreshold: Int64 = 16 << 10

    /// Repeats the request at the end of the retry delay.
    private func retryNow(_ fetch: Fetch) {
        let woken = state.withLock { state -> [ReadContext] in
            // The fetch may have been cancelled during the delay.
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

    /// Returns the error for a transfer that ended early.
    private func error(of end: TransferEnd, _ fetch: Fetch, _ state: State) -> MediaError {
        let code: MediaError.Code
        var message: String
        switch end.reason {
        case .timedOut:
            code = .timedOut
            message =
                fetch.retryState.byteCount > 0
                ? "timeout: no more data from the server" : "timeout: no response from the server"
        case .tooSlow:
            (code, message) = (.timedOut, "timeout: the data rate of the server is too low")
        case .noHost: (code, message) = (.notFound, "host not found")
        case .noConnection:
            (code, message) = (
                .io, "connection to the \(resource.options.proxy == nil ? "server" : "proxy") failed"
            )
        case .noSocket(let fault):
            (code, message) = (.resourceLimit, "socket not available: \(fault)")
        case .noProxy: (code, message) = (.notFound, "proxy host not found")
        case .refusedByProxy(let status):
            code = status == 407 || status == 403 ? .permissionDenied : .io
            message = "the proxy refused to connect to the server (HTTP \(status))"
        case .untrusted: (code, message) = (.untrustedServer, "TLS certificate verification failed")
        case .headersTooLong:
            (code, message) = (
                .exceedsLimits, "response headers too long (limit \(ResponseHead.byteLimit >> 10) KiB)"
            )
        case .privateAddress:
            (code, message) = (
                .forbidden,
                "reference from a public server to a private address refused (see allowsPrivateAddresses)"
            )
        case .refused(let refusal): (code, message) = (refusal, "the request cannot be sent")
        case .complete, .stopped, .broken:
            if let size = state.metadata.byteCount, fetch.retryState.byteCount > 0 || fetch.position > 0 {
                code = .truncated
                message = "connection closed after \(fetch.position) of \(size) bytes"
            } else {
                (code, message) = (.io, "connection closed without a response")
            }
        }
        return MediaError(
            code,
            message,
            libraryLog: end.libraryMessage.isEmpty ? nil : end.libraryMessage,
            underlyingCode: end.code
        )
    }
}
