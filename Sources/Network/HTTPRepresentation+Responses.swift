internal import MediaCore

// The handling of responses. The first three functions are called on the thread of the transfer loop.
extension HTTPRepresentation {
    /// Handles complete response headers. Returns false if the body is not needed.
    func received(_ head: ResponseHead, of fetch: Fetch, _ transfer: Transfer) -> Bool {
        withState { state in
            guard fetch.transfer === transfer else { return false }
            if fetch.address == state.baseAddress, transfer.peer?.isPublic(policy.isPublicAddress) == true {
                state.metadata.isPublic = true
            }
            fetch.responseAction = evaluate(head, of: fetch, &state)
            // The server may send less than was requested.
            perform([], &state)
            return fetch.responseAction == nil
        }
    }

    /// Stores bytes of the body and wakes the readers that wait for them.
    func received(_ bytes: UnsafeRawBufferPointer, of fetch: Fetch, _ transfer: Transfer) -> BodyDisposition {
        withState { state in
            guard fetch.transfer === transfer else { return .stop }
            if state.scheduler.mustPause(fetch.id) { return .pause }
            state.receivedBytes += Int64(bytes.count)
            guard let reception = state.scheduler.receive(bytes.count, fetch.id) else { return .stop }
            let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(reception.range.count))
            store(part, at: reception.range.lowerBound, &state)
            bufferForDisk(part, at: reception.range.lowerBound, of: fetch, &state)
            if reception.isProgress {
                fetch.redirects = 0
                // Bytes of the former URL do not show that the replacement is accepted for other fetches.
                if fetch.hasRefreshedURL, !fetch.predatesReplacement {
                    for other in state.fetches.values { other.hasRefreshedURL = false }
                }
                fetch.hasRefreshedURL = false
            }
            wake(reception.woken, &state)
            if reception.isStopped {
                cancel(fetch, &state)
                perform([], &state)
            }
            return reception.needsMore && !reception.isStopped ? .accept : .stop
        }
    }

    /// Handles the end of a transfer.
    func ended(_ end: TransferEnd, of fetch: Fetch, _ transfer: Transfer) {
        withState { state in
            guard fetch.transfer === transfer else { return }
            fetch.transfer = nil
            handleEnd(end, of: fetch, &state)
        }
    }

    // MARK: End of a transfer

    /// Finishes, repeats or fails the fetch.
    private func handleEnd(_ end: TransferEnd, of fetch: Fetch, _ state: inout State) {
        switch fetch.responseAction {
        case .redirect(let location): return followRedirect(location, fetch, &state)
        case .failure(let error): return fail(fetch, with: error, &state)
        case .retry(let error, let delay):
            return retry(
                fetch,
                after: error,
                delay: delay,
                // The encoder of a live stream may be restarting.
                unreachableLimit: delay == nil && state.metadata.isLiveStream
                    ? resource.options.timeoutNanoseconds : nil,
                &state
            )
        case .atEnd: return finish(fetch, &state)
        case nil: break
        }
        guard let range = state.scheduler[fetch.id] else { return }
        if let end = range.end, range.position >= end { return finish(fetch, &state) }
        let error = error(of: end, range, state)
        switch end.reason {
        case .complete where range.end == nil && !state.metadata.isLiveStream:
            // The server did not declare a length, so the end of the body determines it.
            if state.metadata.byteCount == nil { state.metadata.byteCount = range.position }
            finish(fetch, &state)
        case .tooSlow: retry(fetch, after: error, isTooSlow: true, &state)
        // A server that has delivered bytes may be restarting.
        case .noConnection where state.receivedBytes > 0 || policy.serverHasResponded,
            .noHost where state.receivedBytes > 0 || policy.serverHasResponded,
            .noProxy where state.receivedBytes > 0 || policy.serverHasResponded:
            retry(
                fetch,
                after: error,
                unreachableLimit: resource.options.timeoutNanoseconds,
                &state
            )
        case .complete, .stopped, .broken, .noConnection, .noSocket, .timedOut:
            retry(fetch, after: error, &state)
        case .noHost where state.metadata.isKnown, .noProxy where state.metadata.isKnown:
            retry(fetch, after: error, &state)
        case .refusedByProxy(let status) where status == 408 || status == 429 || status >= 500:
            retry(fetch, after: error, &state)
        case .noHost, .noProxy, .refusedByProxy, .untrusted, .headersTooLong, .privateAddress, .refused:
            fail(fetch, with: error, &state)
        }
    }

    /// Removes a complete fetch. Readers that need more bytes request them at once.
    private func finish(_ fetch: Fetch, _ state: inout State) {
        state.fetches[fetch.id] = nil
        flushDiskBuffer(fetch, &state)
        state.entry?.flush()
        wake(state.scheduler.finish(fetch.id, state.metadata), &state)
        perform([], &state)
        perform(state.scheduler.fetchAhead(state.storedRanges, state.metadata), &state)
    }

    /// Ends a fetch with an error, which only the readers that wait for it receive.
    func fail(_ fetch: Fetch, with error: MediaError, _ state: inout State) {
        if refreshURL(fetch, after: error, &state) { return }
        state.fetches[fetch.id] = nil
        flushDiskBuffer(fetch, &state)
        let waiting = state.scheduler.fail(fetch.id)
        var error = withLocation(error)
        // All promising retries have been made. Otherwise the demuxer would repeat the read indefinitely.
        error.isRetryable = false
        if error.code == .resourceChanged {
            state.failure = error
            wake(state.scheduler.wakeAll(), &state)
            return perform(state.scheduler.stopAll(), &state)
        }
        state.lastFailure = error
        let refused = waiting.filter { !canUseOtherCookies(state.readers[$0], than: fetch, after: error) }
        deliver(error, to: refused, &state)
        perform([], &state)
    }

    /// Returns true if the server may accept the cookies of this reader although it has rejected those of the fetch.
    private func canUseOtherCookies(_ reader: Reader?, than fetch: Fetch, after error: MediaError) -> Bool {
        let own = reader?.cookies ?? cookies
        guard own !== fetch.cookies, Self.mayHaveExpired(Int(error.underlyingCode)) else { return false }
        return !own.isEmpty(for: fetch.address) || !fetch.cookies.isEmpty(for: fetch.address)
    }

    private func followRedirect(_ location: String, _ fetch: Fetch, _ state: inout State) {
        do throws(MediaError) {
            try policy.follow(location, from: &fetch.address, &fetch.redirects)
        } catch {
            return fail(fetch, with: error, &state)
        }
        send(fetch, &state)
    }

    /// Sends the next request of a fetch.
    func send(_ fetch: Fetch, _ state: inout State) {
        do throws(MediaError) {
            try request(fetch, &state)
        } catch {
            fail(fetch, with: error, &state)
        }
    }

    private func retry(
        _ fetch: Fetch,
        after error: MediaError,
        delay: Int64? = nil,
        isTooSlow: Bool = false,
        unreachableLimit: Int64? = nil,
        _ state: inout State
    ) {
        let retry = state.scheduler.retry(
            fetch.id,
            after: delay,
            isTooSlow: isTooSlow,
            unreachableLimit: unreachableLimit,
            state.metadata
        )
        guard case .after(let pause) = retry else {
            var error = error
            if let delay, delay > policy.maximumRetryAfter {
                error.message += ": the server requests a retry after \(delay / 1_000_000_000) seconds"
            }
            // If the fetch fails, the next reader that needs its bytes starts another one.
            return fail(fetch, with: error, &state)
        }
        // The target of a redirect may expire, so each retry begins with the original URL.
        fetch.address = state.baseAddress
        fetch.redirects = 0
        guard pause > 0 else {
            send(fetch, &state)
            return perform([], &state)
        }
        do throws(MediaError) {
            try loop.call(after: pause) { [weak self] in self?.retryNow(fetch) }
            perform([], &state)
        } catch {
            fail(fetch, with: error, &state)
        }
    }

    /// Repeats the request at the end of the retry delay.
    private func retryNow(_ fetch: Fetch) {
        withState { state in
            // The fetch may have been cancelled during the delay.
            guard fetch.transfer == nil, state.fetches[fetch.id] === fetch else { return }
            send(fetch, &state)
        }
    }

    /// Returns the error for a transfer that ended early.
    private func error(of end: TransferEnd, _ range: RangeRequest, _ state: State) -> MediaError {
        let code: MediaError.Code
        var message: String
        switch end.reason {
        case .timedOut:
            code = .timedOut
            message =
                range.attemptByteCount > 0
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
            if let size = state.metadata.byteCount, range.attemptByteCount > 0 || range.position > 0 {
                code = .truncated
                message = "connection closed after \(range.position) of \(size) bytes"
            } else if range.position > 0 {
                (code, message) = (.io, "connection closed after \(range.position) bytes")
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
