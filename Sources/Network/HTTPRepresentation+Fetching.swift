internal import MediaCore

// The requests that the scheduler asks for. All functions require the source's lock.
extension HTTPRepresentation {
    /// Carries out commands of the scheduler, and serves the readers that wait for a byte that no request reaches.
    func perform(_ commands: [RangeScheduler.Command], _ state: inout State) {
        var commands = commands
        while true {
            for command in commands { perform(command, &state) }
            let (next, refused) = state.scheduler.serveWaiting(state.storedRanges, state.metadata)
            if !refused.isEmpty { deliver(onceOnlyError(state), to: refused, &state) }
            if next.isEmpty { return }
            commands = next
        }
    }

    private func perform(_ command: RangeScheduler.Command, _ state: inout State) {
        switch command {
        case .start(let id, let reader):
            let fetch = Fetch(id, of: self, at: state.address, state.readers[reader]?.cookies ?? cookies)
            // A replacement that is still being tried is not replaced, whichever fetch it is rejected for.
            fetch.hasRefreshedURL = state.fetches.values.contains(where: \.hasRefreshedURL)
            state.fetches[id] = fetch
            do throws(MediaError) {
                try request(fetch, &state)
            } catch {
                // If no reader waits, the error is reported when one requests the byte.
                state.fetches[id] = nil
                deliver(withLocation(error), to: state.scheduler.fail(id), &state)
            }
        case .stop(let id): if let fetch = state.fetches[id] { cancel(fetch, &state) }
        case .resume(let id): if let transfer = state.fetches[id]?.transfer { loop.resume(transfer) }
        }
    }

    /// Sends a request for the bytes that the fetch still lacks.
    func request(_ fetch: Fetch, _ state: inout State) throws(MediaError) {
        state.scheduler.attempt(fetch.id)
        var request = TransferRequest(
            to: fetch.address,
            redirectedFrom: state.baseAddress,
            for: resource,
            policy,
            fetch.cookies,
            isReferrerPublic: state.metadata.isPublic
        )
        if let range = state.scheduler[fetch.id], !range.isSequential {
            request.range = (range.position, range.end.map { $0 - 1 })
        }
        request.validator = state.metadata.validator
        let transfer = Transfer(request, fetch)
        fetch.transfer = transfer
        fetch.responseAction = nil
        fetch.predatesReplacement = false
        do throws(MediaError) {
            try loop.start(transfer)
        } catch {
            fetch.transfer = nil
            throw error
        }
    }

    /// Cancels a fetch whose remaining bytes are not needed.
    func cancel(_ fetch: Fetch, _ state: inout State) {
        state.fetches[fetch.id] = nil
        flushDiskBuffer(fetch, &state)
        if let transfer = fetch.transfer { loop.cancel(transfer) }
        fetch.transfer = nil
    }

    /// Makes the next read of each reader throw an error, and wakes them.
    func deliver(_ error: MediaError, to readers: [RangeScheduler.ReaderID], _ state: inout State) {
        for id in readers {
            state.readers[id]?.failure = error
            state.scheduler.stopWaiting(id)
        }
        wake(readers, &state)
    }

    /// Returns the error for a byte that the server has sent and does not send again.
    func onceOnlyError(_ state: State) -> MediaError {
        let error = MediaError(
            .notSeekable,
            "the server does not support range requests: its bytes can only be read once, in order"
        )
        return withLocation(state.lastFailure ?? error)
    }

    /// Returns the error with the name of the resource.
    func withLocation(_ error: MediaError) -> MediaError {
        var error = error
        error.location = name
        return error
    }
}
