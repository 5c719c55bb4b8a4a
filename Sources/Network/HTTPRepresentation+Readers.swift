package import MediaCore

// The readers of a source. The scheduler knows their positions.
extension HTTPRepresentation {
    /// A reader, its cookies and its errors.
    struct Reader {
        /// The reader retains the source, so this reference is weak.
        weak var context: ReadContext?
        /// The cookies for requests on behalf of this reader, or nil for those of the source.
        var cookies: CookieStore?
        /// The error that the next read throws once.
        var failure: MediaError?
    }

    /// Adds a reader with its first read.
    func register(_ context: ReadContext) {
        let key = ObjectIdentifier(context)
        let isNew = state.withLock { state in
            // A new context may have the address of one that is gone.
            guard state.readers[key]?.context !== context else { return false }
            state.readers[key] = Reader(context: context)
            state.scheduler.add(key, isKnown: state.metadata.isKnown)
            return true
        }
        guard isNew else { return }
        context.onClose(of: self) { [weak self] in self?.removeReader(key) }
    }

    /// Removes a reader that continues elsewhere. It is registered again with its next read.
    package func removeReader(_ context: ReadContext) {
        context.removeCloseHandler(of: self)
        removeReader(ObjectIdentifier(context))
    }

    /// Removes a reader. Fetches without readers end after `Policy.lingerTime`.
    private func removeReader(_ key: ObjectIdentifier) {
        let isLast = state.withLock { state in
            state.readers[key] = nil
            state.scheduler.remove(key)
            return state.readers.isEmpty && !state.fetches.isEmpty
        }
        guard isLast else { return }
        do throws(MediaError) {
            try loop.call(after: policy.lingerTime) { [weak self] in self?.cancelUnread() }
        } catch {
            cancelUnread()
        }
    }

    private func cancelUnread() {
        withState { state in
            perform(state.scheduler.stopUnread(), &state)
            if state.readers.isEmpty { state.entry?.flush() }
        }
    }

    /// Calls `body` with the lock held, and then wakes the readers that it has recorded.
    func withState<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        var woken: [ReadContext] = []
        defer { for context in woken { context.wake() } }
        return try state.withLock { state throws(Failure) in
            defer { swap(&woken, &state.woken) }
            return try body(&state)
        }
    }

    /// Records that readers are woken when the lock is released.
    func wake(_ readers: [RangeScheduler.ReaderID], _ state: inout State) {
        state.woken += readers.compactMap { state.readers[$0]?.context }
    }
}
