internal import MediaCore

// The replacement of expired URLs by the application. All functions except `urlRefreshed` require the source's lock.
extension HTTPByteSource {
    /// Sets the closure that replaces the URL, unless another shared source has set one before.
    func offerURLRefresh(_ urlRefresh: URLRefresh?) {
        state.withLock { $0.urlRefresh = $0.urlRefresh ?? urlRefresh }
    }

    /// Removes the closure when no shared source is left.
    func removeURLRefresh() { state.withLock { $0.urlRefresh = nil } }

    /// Asks the application for another URL. Returns true if the fetch waits for it. A replacement that is rejected
    /// as well is not replaced again before further bytes arrive.
    func refreshURL(_ fetch: Fetch, after error: MediaError, _ state: inout State) -> Bool {
        guard let urlRefresh = state.urlRefresh, Self.mayHaveExpired(Int(error.underlyingCode)),
            fetch.address == state.baseAddress, !fetch.retryState.hasRefreshedURL,
            state.fetches.contains(where: { $0 === fetch })
        else { return false }
        fetch.retryState.hasRefreshedURL = true
        fetch.awaitsURL = true
        guard !state.isRefreshingURL else { return true }
        state.isRefreshingURL = true
        let error = withLocation(error)
        // The source may be deallocated before the closure returns.
        Task { [weak self] in
            let url = await urlRefresh(error)
            self?.urlRefreshed(url, after: error)
        }
        return true
    }

    private func urlRefreshed(_ url: String?, after error: MediaError) {
        let woken = state.withLock { state -> [ReadContext] in
            state.isRefreshingURL = false
            let waiting = state.fetches.filter(\.awaitsURL)
            for fetch in waiting { fetch.awaitsURL = false }
            guard let url else { return waiting.flatMap { fail($0, with: error, &state) } }
            guard let address = HTTPAddress(url) else {
                let error = MediaError(
                    .invalidArgument,
                    "the replacement URL is not an http or https URL"
                )
                return waiting.flatMap { fail($0, with: error, &state) }
            }
            state.baseAddress = address
            state.address = address
            // The application provides the URL, so it may have a private address as the first one could.
            state.metadata.isPublic = false
            return waiting.flatMap { restart($0, at: address, &state) }
        }
        for context in woken { context.wake() }
    }

    private func restart(_ fetch: Fetch, at address: HTTPAddress, _ state: inout State) -> [ReadContext] {
        fetch.address = address
        fetch.retryState.count = 0
        fetch.retryState.redirects = 0
        do throws(MediaError) {
            try request(fetch, state)
            return []
        } catch {
            return fail(fetch, with: error, &state)
        }
    }
}
