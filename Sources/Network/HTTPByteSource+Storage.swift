internal import MediaCore

// What has come and is kept: in memory, and in the cache on disk.
extension HTTPByteSource {
    // MARK: Under the source's lock

    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ state: inout State) {
        let readers = ranges(state)
        state.store.write(bytes, at: offset) { Self.isNeeded($0, readers) }
    }

    /// What readers need next.
    private func ranges(_ state: State) -> [Range<Int64>] {
        state.readers.values.flatMap { reader in
            reader.offsets.map { $0..<$0 + min(policy.window, reader.aheadLimit) }
        }
    }

    private static func isNeeded(_ block: Int64, _ ranges: [Range<Int64>]) -> Bool {
        ranges.contains { $0.overlaps(block..<block + Int64(RangeStore.blockSize)) }
    }

    /// Where the first gap from `offset` on begins, wherever bytes are kept.
    func contiguousEnd(from offset: Int64, _ state: State) -> Int64 {
        var end = offset
        while end - offset < policy.window {
            let rest = policy.window - (end - offset)
            var next = state.store.contiguousEnd(from: end, limit: rest)
            if let entry = state.entry { next = max(next, entry.contiguousEnd(from: end, limit: rest)) }
            if next == end { break }
            end = next
        }
        return end
    }

    func nextStored(after offset: Int64, limit: Int64, _ state: State) -> Int64? {
        let inMemory = state.store.nextStored(after: offset, limit: limit)
        guard let onDisk = state.entry?.nextStored(after: offset, limit: limit) else { return inMemory }
        return min(inMemory ?? onDisk, onDisk)
    }

    /// Gathers what comes into stretches for the disk.
    func bufferForDisk(_ bytes: UnsafeRawBufferPointer, of fetch: Fetch, _ state: inout State) {
        guard options.cache != nil else { return }
        if fetch.diskBufferEnd != fetch.position {
            flushDiskBuffer(fetch, &state)
            fetch.diskBufferEnd = fetch.position
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let room = Extent.byteLimit - Int(fetch.diskBufferEnd % Int64(Extent.byteLimit))
            let part = rest.prefix(room)
            fetch.diskBuffer += part
            fetch.diskBufferEnd += Int64(part.count)
            rest = rest.dropFirst(part.count)
            if part.count == room { flushDiskBuffer(fetch, &state) }
        }
    }

    func flushDiskBuffer(_ fetch: Fetch, _ state: inout State) {
        guard !fetch.diskBuffer.isEmpty else { return }
        if state.entry == nil, let cache = options.cache, state.metadata.declaresByteCount,
            !state.metadata.noStore,
            let identity = identity(state)
        {
            state.entry = entry(cache, identity, state)
        }
        state.entry?.store(fetch.diskBuffer, at: fetch.diskBufferEnd - Int64(fetch.diskBuffer.count))
        fetch.diskBuffer = []
    }

    private func entry(_ cache: DiskCache, _ identity: CacheIndex.Identity, _ state: State) -> CacheEntry? {
        let location = state.address == state.baseAddress ? nil : state.address.text
        guard location?.utf8.count ?? 0 <= CacheIndex.locationLimit else { return nil }
        return CacheEntry(
            cache.folder,
            cache.digest(origin, options, isReferenced: policy.isReferenced),
            identity,
            supportsRanges: state.metadata.supportsRanges ?? true,
            isPublic: state.metadata.isPublic,
            location: location
        )
    }

    private func identity(_ state: State) -> CacheIndex.Identity? {
        CacheIndex.Identity(
            byteCount: state.metadata.byteCount,
            entityTag: state.metadata.entityTag,
            lastModified: state.metadata.isDateWeak ? nil : state.metadata.lastModified
        )
    }

    // MARK: For who shares it

    /// What makes it this very one; nil: not known, or nothing would tell it from another.
    var identity: CacheIndex.Identity? { state.withLock { identity($0) } }

    /// All of it is there.
    var isComplete: Bool {
        state.withLock { state in
            guard let size = state.metadata.byteCount, state.failure == nil else { return false }
            if state.entry?.isComplete == true { return true }
            return state.store.byteCount >= size && state.store.contiguousEnd(from: 0, limit: size) >= size
        }
    }

    /// Where requests begin now.
    var baseAddress: HTTPAddress { state.withLock { $0.baseAddress } }

    /// What it takes of the memory.
    var storedByteCount: Int { state.withLock { $0.store.byteCount } }

    /// Several may read it, each from where it likes. True until the first bytes have come.
    var isShareable: Bool {
        state.withLock {
            !$0.metadata.isKnown || $0.metadata.supportsRanges != false || $0.metadata.canRestart
        }
    }

    /// Who comes now may read it without asking the server: somebody reads it, and the server has spoken a moment ago.
    var isFresh: Bool {
        state.withLock { state in
            guard state.failure == nil, !state.metadata.isVolatile else { return false }
            // What the server has refused one asset it may give another, which has cookies of its own.
            if !state.metadata.isKnown { return state.lastFailure == nil }
            return !state.readers.isEmpty
                && TransferLoop.now - state.validationTime < policy.freshnessLifetime
        }
    }

    /// Its server has spoken of it since that moment of the machine's clock, and all of it is to be had.
    func isValidated(since moment: Int64) -> Bool {
        let isSo = state.withLock { state in
            state.failure == nil && state.metadata.isKnown && !state.metadata.isVolatile
                && state.validationTime >= moment
        }
        return isSo && (isShareable || isComplete)
    }

    /// It has turned out to be another one each time that it is asked for: it is on no disk, and nobody else gets what has come.
    func setVolatile() {
        state.withLock { state in
            state.metadata.isVolatile = true
            state.metadata.noStore = true
            for fetch in state.fetches { fetch.diskBuffer = [] }
            state.entry?.remove()
            state.entry = nil
        }
    }

    var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

    /// The cache has a file for it, which may be open.
    var hasCacheFile: Bool { state.withLock { $0.entry != nil } }

    /// The first one to ask has it.
    func claim(by owner: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.owner = state.owner ?? owner
            return state.owner == owner
        }
    }

    /// When the server last said that it is the one that it was; 0: it has not.
    var validationTime: Int64 { state.withLock { $0.validationTime } }

    /// The server has said at that time that it is the one that it was.
    func markValidated(at time: Int64) { state.withLock { $0.validationTime = max($0.validationTime, time) } }

    /// It says so now, and where it has led to.
    func markValidated(by answer: Revalidation.Answer) {
        state.withLock { state in
            state.validationTime = TransferLoop.now
            state.address = answer.address
            if answer.isPublic { state.metadata.isPublic = true }
        }
    }

    func trim(to byteLimit: Int) {
        state.withLock { state in
            let readers = ranges(state)
            state.store.trim(to: byteLimit) { Self.isNeeded($0, readers) }
        }
    }

    /// What has come so far is handed to the cache.
    func flush() {
        state.withLock { state in
            for fetch in state.fetches { flushDiskBuffer(fetch, &state) }
            state.entry?.flush()
        }
    }
}
