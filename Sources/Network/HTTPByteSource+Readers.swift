internal import MediaCore

// Who reads, and where.
extension HTTPByteSource {
    struct Reader {
        /// The reader holds the source, and not the other way round.
        weak var context: ReadContext?
        /// Where it read last, and how far ahead is fetched for it.
        var offset: Int64 = 0
        var window: Int64
        /// Its window is no larger than this.
        var aheadLimit = Int64.max
        /// What is sent with requests that are made for it; nil: the resource's.
        var cookies: CookieStore?
        /// The place that it left for the present one, and to which it may return: where sound lies far from pictures, it reads
        /// in turns here and there.
        private var left: (offset: Int64, window: Int64)?
        private var seekCount: UInt64 = 0
        /// It waits for this byte.
        var waitingOffset: Int64?
        /// Why its byte does not come; told once.
        var failure: MediaError?

        init(context: ReadContext, window: Int64) {
            self.context = context
            self.window = window
        }

        /// How far ahead is fetched for it now.
        var readAhead: Int64 { min(window, aheadLimit) }

        /// The places that it reads at.
        var offsets: [Int64] { left.map { [offset, $0.offset] } ?? [offset] }

        /// What lies before it is not needed any more.
        var lowestOffset: Int64 { min(offset, left?.offset ?? offset) }

        mutating func move(to place: Int64, _ policy: Policy) {
            let seeks = context?.seekCount ?? 0
            if seeks != seekCount { left = nil }
            seekCount = seeks
            defer { offset = place }
            guard !Self.isNear(place, offset, policy) else { return }
            let isReturn = left.map { Self.isNear(place, $0.offset, policy) } ?? false
            let next = isReturn ? left?.window : nil
            left = (offset, window)
            window = next ?? policy.initialWindow
        }

        /// A demuxer that comes back reads once more what it had not used up.
        private static func isNear(_ place: Int64, _ other: Int64, _ policy: Policy) -> Bool {
            -policy.seekBackTolerance...policy.skipLimit ~= place - other
        }
    }

    func register(_ context: ReadContext) {
        let key = ObjectIdentifier(context)
        let isNew = state.withLock { state in
            // Another one may have been where this one is now.
            guard state.readers[key]?.context !== context else { return false }
            state.readers[key] = Reader(context: context, window: policy.window)
            return true
        }
        guard isNew else { return }
        context.onClose(of: self) { [weak self] in self?.removeReader(key) }
    }

    /// The reader goes on elsewhere. It may come back.
    func removeReader(_ context: ReadContext) {
        context.removeCloseHandler(of: self)
        removeReader(ObjectIdentifier(context))
    }

    /// What was fetched for this reader alone is not wanted any more.
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
