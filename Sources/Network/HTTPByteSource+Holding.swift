internal import MediaCore

// What has come and is kept: in memory, and in the cache on disk.
extension HTTPByteSource {
    // MARK: Under the source's lock

    func hold(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ state: inout State) {
        let readers = ranges(state)
        state.store.write(bytes, at: offset) { Self.isNeeded($0, readers) }
    }

    /// What readers need next.
    private func ranges(_ state: State) -> [Range<Int64>] {
        state.readers.values.flatMap { reader in
            reader.places.map { $0..<$0 + min(policy.window, reader.aheadLimit) }
        }
    }

    private static func isNeeded(_ block: Int64, _ ranges: [Range<Int64>]) -> Bool {
        ranges.contains { $0.overlaps(block..<block + Int64(RangeStore.blockSize)) }
    }

    /// Where the first gap from `offset` on begins, wherever bytes are kept.
    func runEnd(from offset: Int64, _ state: State) -> Int64 {
        var end = offset
        while end - offset < policy.window {
            let rest = policy.window - (end - offset)
            var next = state.store.runEnd(from: end, limit: rest)
            if let entry = state.entry { next = max(next, entry.runEnd(from: end, limit: rest)) }
            if next == end { break }
            end = next
        }
        return end
    }

    func nextHeld(after offset: Int64, limit: Int64, _ state: State) -> Int64? {
        let inMemory = state.store.nextHeld(after: offset, limit: limit)
        guard let onDisk = state.entry?.nextHeld(after: offset, limit: limit) else { return inMemory }
        return min(inMemory ?? onDisk, onDisk)
    }

    /// Gathers what comes into stretches for the disk.
    func spool(_ bytes: UnsafeRawBufferPointer, of fetch: Fetch, _ state: inout State) {
        guard options.cache != nil else { return }
        if fetch.spoolEnd != fetch.position {
            unspool(fetch, &state)
            fetch.spoolEnd = fetch.position
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let room = Extent.byteLimit - Int(fetch.spoolEnd % Int64(Extent.byteLimit))
            let part = rest.prefix(room)
            fetch.spool += part
            fetch.spoolEnd += Int64(part.count)
            rest = rest.dropFirst(part.count)
            if part.count == room { unspool(fetch, &state) }
        }
    }

    func unspool(_ fetch: Fetch, _ state: inout State) {
        guard !fetch.spool.isEmpty else { return }
        if state.entry == nil, let cache = options.cache, state.facts.saysByteCount,
            !state.facts.forbidsKeeping,
            let identity = identity(state)
        {
            state.entry = entry(cache, identity, state)
        }
        state.entry?.keep(fetch.spool, at: fetch.spoolEnd - Int64(fetch.spool.count))
        fetch.spool = []
    }

    private func entry(_ cache: DiskCache, _ identity: CacheIndex.Identity, _ state: State) -> CacheEntry? {
        let location = state.address == state.home ? nil : state.address.text
        guard location?.utf8.count ?? 0 <= CacheIndex.locationLimit else { return nil }
        return CacheEntry(
            cache.folder,
            cache.digest(origin, options, isPart: policy.isPart),
            identity,
            takesRanges: state.facts.takesRanges ?? true,
            isPublic: state.facts.isPublic,
            location: location
        )
    }

    private func identity(_ state: State) -> CacheIndex.Identity? {
        CacheIndex.Identity(
            byteCount: state.facts.byteCount,
            entityTag: state.facts.entityTag,
            lastModified: state.facts.isDateYoung ? nil : state.facts.lastModified
        )
    }

    // MARK: For who shares it

    /// What makes it this very one; nil: not known, or nothing would tell it from another.
    var identity: CacheIndex.Identity? { state.withLock { identity($0) } }

    /// All of it is there.
    var isComplete: Bool {
        state.withLock { state in
            guard let size = state.facts.byteCount, state.failure == nil else { return false }
            if state.entry?.isComplete == true { return true }
            return state.store.byteCount >= size && state.store.runEnd(from: 0, limit: size) >= size
        }
    }

    /// Where requests begin now.
    var home: HTTPAddress { state.withLock { $0.home } }

    /// What it takes of the memory.
    var heldBytes: Int { state.withLock { $0.store.byteCount } }

    /// Several may read it, each from where it likes. True until the first bytes have come.
    var isShareable: Bool {
        state.withLock { !$0.facts.isKnown || $0.facts.takesRanges != false || $0.facts.canBeginAnew }
    }

    /// Who comes now may read it without asking the server: somebody reads it, and the server has spoken a moment ago.
    var isCurrent: Bool {
        state.withLock { state in
            guard state.failure == nil, !state.facts.isChanging else { return false }
            // What the server has refused one asset it may give another, which has cookies of its own.
            if !state.facts.isKnown { return state.lastFailure == nil }
            return !state.readers.isEmpty && TransferLoop.now - state.confirmed < policy.freshness
        }
    }

    /// Its server has spoken of it since that moment of the machine's clock, and all of it is to be had.
    func isConfirmed(since moment: Int64) -> Bool {
        let isSo = state.withLock { state in
            state.failure == nil && state.facts.isKnown && !state.facts.isChanging
                && state.confirmed >= moment
        }
        return isSo && (isShareable || isComplete)
    }

    /// It has turned out to be another one each time that it is asked for: it is on no disk, and nobody else gets what has come.
    func setChanging() {
        state.withLock { state in
            state.facts.isChanging = true
            state.facts.forbidsKeeping = true
            for fetch in state.fetches { fetch.spool = [] }
            state.entry?.remove()
            state.entry = nil
        }
    }

    var isBeingRead: Bool { state.withLock { !$0.readers.isEmpty } }

    /// The cache has a file for it, which may be open.
    var holdsFile: Bool { state.withLock { $0.entry != nil } }

    /// The first one to ask has it.
    func isClaimed(by owner: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.owner = state.owner ?? owner
            return state.owner == owner
        }
    }

    /// When the server last said that it is the one that it was; 0: it has not.
    var confirmed: Int64 { state.withLock { $0.confirmed } }

    /// The server has said at that time that it is the one that it was.
    func confirm(at time: Int64) { state.withLock { $0.confirmed = max($0.confirmed, time) } }

    /// It says so now, and where it has led to.
    func confirm(_ answer: Revalidation.Answer) {
        state.withLock { state in
            state.confirmed = TransferLoop.now
            state.address = answer.address
            if answer.isPublic { state.facts.isPublic = true }
        }
    }

    func trim(to byteLimit: Int) {
        state.withLock { state in
            let readers = ranges(state)
            state.store.trim(to: byteLimit) { Self.isNeeded($0, readers) }
        }
    }

    /// What has come so far is handed to the cache.
    func settle() {
        state.withLock { state in
            for fetch in state.fetches { unspool(fetch, &state) }
            state.entry?.settle()
        }
    }
}
