internal import MediaCore

// Links that expire: the program gives another one for the same resource. All of it under the source's lock.
extension HTTPByteSource {
    /// Of those who share it the first one that can is asked for another URL.
    func offer(_ renewal: Renewal?) { state.withLock { $0.renewal = $0.renewal ?? renewal } }

    /// Nobody is left who could be asked.
    func forgetRenewal() { state.withLock { $0.renewal = nil } }

    /// True: the fetch waits for another URL. Asked once for each place: where the new one is refused as well, that is told.
    func renew(_ fetch: Fetch, after error: MediaError, _ state: inout State) -> Bool {
        guard let renewal = state.renewal, Self.mayHaveExpired(Int(error.underlyingCode)),
            fetch.address == state.home, !fetch.tries.isRenewed,
            state.fetches.contains(where: { $0 === fetch })
        else { return false }
        fetch.tries.isRenewed = true
        fetch.isWaitingForURL = true
        guard !state.isRenewing else { return true }
        state.isRenewing = true
        let error = located(error)
        // The source may go meanwhile: the answer is for nobody then.
        Task { [weak self] in
            let url = await renewal(error)
            self?.renewed(url, after: error)
        }
        return true
    }

    private func renewed(_ url: String?, after error: MediaError) {
        let woken = state.withLock { state -> [ReadContext] in
            state.isRenewing = false
            let waiting = state.fetches.filter(\.isWaitingForURL)
            for fetch in waiting { fetch.isWaitingForURL = false }
            guard let url else { return waiting.flatMap { fail($0, with: error, &state) } }
            guard let address = HTTPAddress(url) else {
                let error = MediaError(
                    .invalidArgument,
                    "the URL that was given anew is no http or https URL"
                )
                return waiting.flatMap { fail($0, with: error, &state) }
            }
            state.home = address
            state.address = address
            // It is the program's own, as the first one was.
            state.facts.isPublic = false
            return waiting.flatMap { ask($0, at: address, &state) }
        }
        for context in woken { context.wake() }
    }

    private func ask(_ fetch: Fetch, at address: HTTPAddress, _ state: inout State) -> [ReadContext] {
        fetch.address = address
        fetch.tries.count = 0
        fetch.tries.redirects = 0
        do throws(MediaError) {
            try request(fetch, state)
            return []
        } catch {
            return fail(fetch, with: error, &state)
        }
    }
}
