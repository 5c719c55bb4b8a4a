internal import MediaCore

// Links that expire: the program gives another one for the same resource. All of it under the source's lock.
extension HTTPByteSource {
    /// Of those who share it the first one that can is asked for another URL.
    func offerURLRefresh(_ urlRefresh: URLRefresh?) {
        state.withLock { $0.urlRefresh = $0.urlRefresh ?? urlRefresh }
    }

    /// Nobody is left who could be asked.
    func removeURLRefresh() { state.withLock { $0.urlRefresh = nil } }

    /// True: the fetch waits for another URL. Asked once for each place: where the new one is refused as well, that is told.
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
        // The source may go meanwhile: the answer is for nobody then.
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
                    "the URL that was given anew is no http or https URL"
                )
                return waiting.flatMap { fail($0, with: error, &state) }
            }
            state.baseAddress = address
            state.address = address
            // It is the program's own, as the first one was.
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
