internal import MediaCore

// The readers of a source and their positions.
extension HTTPByteSource {
    /// A reader's position and the bytes that it waits for.
    struct Reader {
        /// The reader retains the source, so this reference is weak.
        weak var context: ReadContext?
        /// The offset after the last read.
        var offset: Int64 = 0
        /// The number of bytes to fetch ahead of the reader.
        var window: Int64
        /// The upper bound of `window`.
        var aheadLimit = Int64.max
        /// The cookies for requests on behalf of this reader, or nil for those of the source.
        var cookies: CookieStore?
        /// The previous position, to which the reader may return: if audio and video are far apart in the file, it
        /// alternates between two positions.
        private var previous: (offset: Int64, window: Int64)?
        private var seekCount: UInt64 = 0
        /// The offset of the byte that the reader waits for.
        var waitingOffset: Int64?
        /// The error that the next read throws once.
        var failure: MediaError?

        init(context: ReadContext, window: Int64) {
            self.context = context
            self.window = window
        }

        /// The number of bytes that are fetched ahead of the reader now.
        var readAhead: Int64 { min(window, aheadLimit) }

        /// The positions that the reader uses.
        var offsets: [Int64] { previous.map { [offset, $0.offset] } ?? [offset] }

        /// The lowest offset that the reader still needs.
        var lowestOffset: Int64 { min(offset, previous?.offset ?? offset) }

        /// Moves the reader. After a jump, reading ahead begins small again, unless the reader returns to its
        /// previous position.
        mutating func move(to newOffset: Int64, _ policy: Policy) {
            let seeks = context?.seekCount ?? 0
            if seeks != seekCount { previous = nil }
            seekCount = seeks
            defer { offset = newOffset }
            guard !Self.isNear(newOffset, offset, policy) else { return }
            let isReturn = previous.map { Self.isNear(newOffset, $0.offset, policy) } ?? false
            let next = isReturn ? previous?.window : nil
            previous = (offset, window)
            window = next ?? policy.initialWindow
        }

        /// Returns true if a move from `other` to `place` is a short step. A demuxer that returns reads some bytes
        /// again.
        private static func isNear(_ offset: Int64, _ other: Int64, _ policy: Policy) -> Bool {
            -policy.seekBackTolerance...policy.skipLimit ~= offset - other
        }
    }

    /// Adds a reader with its first read.
    func register(_ context: ReadContext) {
        let key = ObjectIdentifier(context)
        let isNew = state.withLock { state in
            // A new context may have the address of one that is gone.
            guard state.readers[key]?.context !== context else { return false }
            state.readers[key] = Reader(context: context, window: policy.window)
            return true
        }
        guard isNew else { return }
        context.onClose(of: self) { [weak self] in self?.removeReader(key) }
    }

    /// Removes a reader that continues elsewhere. It is registered again with its next read.
    func removeReader(_ context: ReadContext) {
        context.removeCloseHandler(of: self)
        removeReader(ObjectIdentifier(context))
    }

    /// Removes a reader. Fetches without readers end after `Policy.lingerTime`.
    private func removeReader(_ key: ObjectIdentifier) {
        let isLast = state.withLock { state in
            state.readers[key] = nil
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
        state.withLock { state in
            guard state.readers.isEmpty else { return }
            for fetch in state.fetches { cancel(fetch, &state) }
            state.entry?.flush()
        }
    }
}
