internal import MediaCore

// The storage of received bytes, in memory and in the disk cache.
extension HTTPRepresentation {
    // MARK: With the source's lock held

    /// Stores bytes in memory. May evict bytes that no reader needs next.
    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ state: inout State) {
        state.store.write(bytes, at: offset, keeping: state.scheduler.neededRanges)
    }

    /// Collects received bytes into extents for the disk cache.
    func bufferForDisk(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64,
        of fetch: Fetch,
        _ state: inout State
    ) {
        guard resource.options.cache != nil else { return }
        if fetch.diskBufferEnd != offset {
            flushDiskBuffer(fetch, &state)
            fetch.diskBufferEnd = offset
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

    /// Passes buffered bytes to the cache entry. Creates the entry if the response may be stored.
    func flushDiskBuffer(_ fetch: Fetch, _ state: inout State) {
        guard !fetch.diskBuffer.isEmpty else { return }
        defer { fetch.diskBuffer = [] }
        // The first bytes may have been stored before the server declared it.
        guard !state.metadata.noStore else { return }
        if state.entry == nil, let cache = resource.options.cache, state.metadata.declaresByteCount,
            let identity = identity(state)
        {
            state.entry = entry(cache, identity, state)
        }
        state.entry?.store(fetch.diskBuffer, at: fetch.diskBufferEnd - Int64(fetch.diskBuffer.count))
    }

    private func entry(_ cache: DiskCache, _ identity: CacheIndex.Identity, _ state: State) -> CacheEntry? {
        let location = state.address == state.baseAddress ? nil : state.address.text
        guard let cacheKey, location?.utf8.count ?? 0 <= CacheIndex.locationLimit else { return nil }
        return CacheEntry(
            cache.folder,
            cacheKey,
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

    // MARK: For the resource pool

    /// The facts that decide whether an asset may use the stored bytes.
    var storedResponse: StoredResponse {
        state.withLock { state in
            let metadata = state.metadata
            let isValid = state.failure == nil && !metadata.isVolatile
            return StoredResponse(
                // A server that has rejected one asset may accept another one, which has other cookies.
                isPending: isValid && !metadata.isKnown && state.lastFailure == nil,
                isUsable: isValid && metadata.isKnown,
                isBeingRead: !state.readers.isEmpty,
                validationTime: state.validationTime,
                identity: identity(state),
                isShareable: !metadata.isKnown || metadata.supportsRanges != false || metadata.canRestart,
                isComplete: isComplete(state)
            )
        }
    }

    private func isComplete(_ state: State) -> Bool {
        guard let size = state.metadata.byteCount, state.failure == nil else { return false }
        if state.entry?.isComplete == true { return true }
        return state.store.byteCount >= size && state.store.contiguousEnd(from: 0, limit: size) >= size
    }

    /// Whether the next reader must request the resource again: the server sends its bytes only once, no reader is
    /// left, and the bytes cannot be read from the start on.
    var isSpent: Bool {
        state.withLock { state in
            let metadata = state.metadata
            guard metadata.isKnown, metadata.supportsRanges == false, !metadata.canRestart,
                state.readers.isEmpty, !isComplete(state)
            else { return false }
            let hasStart = state.storedRanges.contiguousEnd(from: 0, limit: 1) > 0
            // A listener expects what a live stream sends now. Only the bytes for opening it are read twice.
            let isPast = metadata.isLiveStream && state.receivedBytes > policy.firstWindow
            return state.fetches.isEmpty || !hasStart || isPast
        }
    }

    /// The address that requests begin with.
    var baseAddress: HTTPAddress { state.withLock { $0.baseAddress } }

    /// The size of the memory that the source uses.
    var storedByteCount: Int { state.withLock { $0.store.byteCount } }

    /// Marks a resource that changes with every request. It is removed from the disk and not shared any more.
    package func setVolatile() {
        state.withLock { state in
            state.metadata.isVolatile = true
            state.metadata.noStore = true
            for fetch in state.fetches.values { fetch.diskBuffer = [] }
            state.entry?.remove()
            state.entry = nil
        }
    }

    /// Whether the disk cache has a file for the resource. The file may be open.
    var hasCacheFile: Bool { state.withLock { $0.entry != nil } }

    /// Closes the file of the disk cache, unless it is in use.
    func closeCacheFile() { state.withLock { $0.entry }?.closeFile() }

    /// Forgets the bytes in the file of the disk cache if it was evicted while it was closed. May block.
    func verifyCacheFile() { state.withLock { $0.entry }?.verifyFile() }

    /// Returns true if `owner` is the first one to claim the source. Only the first one may read a resource that is
    /// sent only once.
    func claim(by owner: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.owner = state.owner ?? owner
            return state.owner == owner
        }
    }

    /// Records that the server validated the resource at the given time.
    func markValidated(at time: Int64) {
        state.withLock { $0.validationTime = max($0.validationTime ?? time, time) }
    }

    /// Records that the server has validated the resource now, and the target of its redirects.
    func markValidated(by result: Revalidation.Result) {
        state.withLock { state in
            state.validationTime = loop.now
            state.address = result.address
            if result.isPublic { state.metadata.isPublic = true }
        }
    }

    /// Frees memory that readers do not need next, down to a limit.
    func trim(to byteLimit: Int) {
        state.withLock { $0.store.trim(to: byteLimit, keeping: $0.scheduler.neededRanges) }
    }

    /// Writes buffered bytes to the disk cache.
    func flush() {
        state.withLock { state in
            for fetch in state.fetches.values { flushDiskBuffer(fetch, &state) }
            state.entry?.flush()
        }
    }
}
