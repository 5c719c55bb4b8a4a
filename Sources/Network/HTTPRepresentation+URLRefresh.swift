internal import MediaCore

// The replacement of expired URLs by the application. All functions except `urlRefreshed` require the source's lock.
extension HTTPRepresentation {
    /// Sets the closure that replaces the URL, unless another shared source has set one before.
    func offerURLRefresh(_ urlRefresh: URLRefresh?) {
        state.withLock { $0.urlRefresh = $0.urlRefresh ?? urlRefresh }
    }

    /// Removes the closure when no shared source is left. Returns it, because the objects that it retains must be
    /// released outside all locks.
    func removeURLRefresh() -> URLRefresh? {
        state.withLock { state in
            defer { state.urlRefresh = nil }
            return state.urlRefresh
        }
    }

    /// Asks the application for another URL. Returns true if the fetch waits for it. A replacement that is rejected
    /// as well is not replaced again before further bytes arrive.
    func refreshURL(_ fetch: Fetch, after error: MediaError, _ state: inout State) -> Bool {
        guard let urlRefresh = state.urlRefresh, Self.mayHaveExpired(Int(error.underlyingCode)),
            fetch.address == state.baseAddress, state.isRefreshingURL || !fetch.hasRefreshedURL,
            state.fetches[fetch.id] === fetch
        else { return false }
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
        withState { state in
            state.isRefreshingURL = false
            let waiting = state.fetches.values.filter(\.awaitsURL)
            for fetch in waiting { fetch.awaitsURL = false }
            // Fetches that have no answer yet do not ask again.
            for fetch in state.fetches.values { fetch.hasRefreshedURL = true }
            guard let url else {
                for fetch in waiting { fail(fetch, with: error, &state) }
                return
            }
            guard let address = HTTPAddress(url) else {
                let error = MediaError(
                    .invalidArgument,
                    "the replacement URL is not an http or https URL"
                )
                for fetch in waiting { fail(fetch, with: error, &state) }
                return
            }
            state.baseAddress = address
            state.address = address
            // The application provides the URL, so it may have a private address as the first one could.
            state.metadata.isPublic = false
            for fetch in state.fetches.values { fetch.predatesReplacement = true }
            for fetch in waiting {
                state.scheduler.resetAttempts(fetch.id)
                fetch.address = address
                fetch.redirects = 0
                send(fetch, &state)
            }
        }
    }
}
