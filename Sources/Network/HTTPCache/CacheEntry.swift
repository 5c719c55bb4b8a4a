internal import MediaCore

/// One resource in a cache folder, opened by this process.
///
/// Reads happen on the calling thread and may block. Writes happen on the cache's own thread. The lock, which guards
/// the list of extents, is held only briefly.
final class CacheEntry: StoredExtents, Sendable {
    private struct State {
        var index: CacheIndex
        /// Whether there is a data file.
        var hasFile = false
        /// The file descriptor, or -1 if the file is closed.
        var file: Int32 = -1
        /// The number of operations that use the open file.
        var useCount = 0
        var isWritable = false
        /// Whether writing has ended, because another representation has replaced this one.
        var isDetached = false
        /// Nothing is written before this time of the folder's clock, because the folder was full.
        var suspendedUntil: Int64 = 0
        /// The number of written bytes that the index file does not list yet.
        var unsavedBytes: Int64 = 0
        /// Whether the index file lacks something else: an extent was removed, or writing the index has failed.
        var hasOtherChanges = false
        /// Extents with a wrong checksum. They are not adopted from the index of another process.
        var rejected: Set<Extent> = []
    }

    let folder: CacheFolder
    let identity: CacheIndex.Identity
    let key: [UInt8]
    private let state: Locked<State>

    /// Creates the entry of a resource that is not in the cache. Its files are created with the first bytes.
    init(
        _ folder: CacheFolder,
        _ key: [UInt8],
        _ identity: CacheIndex.Identity,
        supportsRanges: Bool,
        isPublic: Bool = false,
        location: String? = nil
    ) {
        self.folder = folder
        self.key = key
        self.identity = identity
        let index = CacheIndex(
            key: key,
            generation: 0,
            identity: identity,
            supportsRanges: supportsRanges,
            isPublic: isPublic,
            location: location
        )
        state = Locked(State(index: index))
    }

    private init(_ folder: CacheFolder, _ index: CacheIndex, _ file: Int32, isWritable: Bool) {
        self.folder = folder
        key = index.key
        identity = index.identity
        state = Locked(State(index: index, hasFile: true, file: file, isWritable: isWritable))
    }

    deinit {
        OpenFiles.shared.remove(ObjectIdentifier(self))
        let file = state.withLock { $0.file }
        if file >= 0 { folder.files.close(file) }
    }

    /// Opens the entry of an earlier time. Returns nil if there is none. May block.
    static func open(_ folder: CacheFolder, _ key: [UInt8]) -> CacheEntry? {
        guard let index = folder.readIndex(key) else { return nil }
        do throws(CacheFault) {
            guard let (file, isWritable) = try openLocked(folder, folder.dataPath(key, index.generation))
            else { return nil }
            let entry = CacheEntry(folder, index, file, isWritable: isWritable)
            OpenFiles.shared.markUsed(entry)
            return entry
        } catch {
            // A resource whose entry cannot be opened is fetched.
            return nil
        }
    }

    /// Opens a data file with a shared lock. Returns nil if it has been removed.
    private static func openLocked(_ folder: CacheFolder, _ path: String) throws(CacheFault) -> (Int32, Bool)?
    {
        let (file, isWritable) = try openData(folder, path)
        do throws(CacheFault) {
            // An eviction that holds the exclusive lock removes the file.
            guard try folder.files.lock(file, isExclusive: false, waits: false),
                try folder.files.status(file).isLinked
            else {
                folder.files.close(file)
                return nil
            }
            if isWritable { try folder.files.touch(file) }
        } catch {
            folder.files.close(file)
            throw error
        }
        return (file, isWritable)
    }

    private static func openData(_ folder: CacheFolder, _ path: String) throws(CacheFault) -> (Int32, Bool) {
        do throws(CacheFault) {
            return (try folder.files.open(path, writable: true, creates: false), true)
        } catch {
            return (try folder.files.open(path, writable: false, creates: false), false)
        }
    }

    // MARK: The data file

    /// Calls `body` with the data file, which is opened again if necessary. Returns nil if the file has been removed,
    /// and forgets its extents. May block.
    private func withFile<Result>(_ body: (Int32) throws(CacheFault) -> Result) throws(CacheFault) -> Result?
    {
        guard let file = try acquireFile() else { return nil }
        defer {
            state.withLock { $0.useCount -= 1 }
            OpenFiles.shared.markUsed(self)
        }
        return try body(file)
    }

    /// Returns the descriptor of the data file and counts a user. Returns nil if the file has been removed.
    private func acquireFile() throws(CacheFault) -> Int32? {
        let (open, generation) = state.withLock { state -> (Int32?, UInt64?) in
            guard state.file >= 0 else { return (nil, state.hasFile ? state.index.generation : nil) }
            state.useCount += 1
            return (state.file, nil)
        }
        if let open { return open }
        guard let generation else { return nil }
        let opened: (Int32, Bool)?
        do throws(CacheFault) {
            opened = try Self.openLocked(folder, folder.dataPath(key, generation))
        } catch {
            guard error.code == CacheFolder.fileNotFound else { throw error }
            opened = nil
        }
        let (file, spare) = state.withLock { state -> (Int32?, Int32?) in
            // Another thread may have opened it in the meantime.
            if state.file < 0 {
                guard let opened else {
                    state.hasFile = false
                    state.index.extents = Extents()
                    state.unsavedBytes = 0
                    return (nil, nil)
                }
                (state.file, state.isWritable) = opened
                state.useCount += 1
                return (opened.0, nil)
            }
            state.useCount += 1
            return (state.file, opened?.0)
        }
        if let spare { folder.files.close(spare) }
        return file
    }

    /// Closes the file, unless it is in use.
    func closeFile() {
        let file = state.withLock { state -> Int32 in
            guard state.useCount == 0 else { return -1 }
            defer { state.file = -1 }
            return state.file
        }
        if file >= 0 { folder.files.close(file) }
    }

    /// Opens the file if it is closed, and forgets its extents if it has been removed. May block.
    func verifyFile() {
        do throws(CacheFault) {
            try withFile { _ in }
        } catch {
            // Unreadable bytes are fetched again.
        }
    }

    // MARK: Stored bytes

    /// The facts that decide whether an asset may use the stored bytes.
    var storedResponse: StoredResponse { StoredResponse(identity: identity, isComplete: isComplete) }
    var supportsRanges: Bool { state.withLock { $0.index.supportsRanges } }
    var isPublic: Bool { state.withLock { $0.index.isPublic } }
    var location: String? { state.withLock { $0.index.location } }
    var isComplete: Bool { state.withLock { $0.index.extents.byteCount == identity.byteCount } }

    /// Returns true if the byte at `offset` is stored.
    func contains(_ offset: Int64) -> Bool { state.withLock { $0.index.extents.extent(at: offset) != nil } }

    func contiguousEnd(from offset: Int64, limit: Int64) -> Int64 {
        state.withLock { $0.index.extents.contiguousEnd(from: offset, limit: limit) }
    }

    func nextStored(after offset: Int64, limit: Int64) -> Int64? {
        state.withLock { $0.index.extents.nextStored(after: offset, limit: limit) }
    }

    /// Returns the extent that contains `offset`. Returns nil if it is missing. An extent with a wrong checksum is
    /// removed.
    func read(at offset: Int64) -> (start: Int64, bytes: [UInt8])? {
        while let extent = state.withLock({ $0.index.extents.extent(at: offset) }) {
            if let bytes = read(extent) { return (extent.start, bytes) }
            state.withLock { state in
                state.index.extents.remove(extent)
                state.rejected.insert(extent)
                state.hasOtherChanges = true
            }
        }
        return nil
    }

    private func read(_ extent: Extent) -> [UInt8]? {
        do throws(CacheFault) {
            let read = try withFile { file throws(CacheFault) in
                try folder.files.read(file, count: extent.count, at: extent.start)
            }
            guard let bytes = read else { return nil }
            let isRight =
                bytes.count == extent.count && checksum(bytes[...], at: extent.start) == extent.checksum
            return isRight ? bytes : nil
        } catch {
            // Unreadable bytes are fetched again.
            return nil
        }
    }

    private func checksum(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of($0, seed: UInt64(bitPattern: offset)) }
    }

    // MARK: Writing

    /// Stores at most `Extent.byteLimit` bytes on the cache's thread, if writing is possible.
    func store(_ bytes: [UInt8], at offset: Int64) {
        guard !bytes.isEmpty, !folder.isSuspended, !isSuspended else { return }
        folder.writer.enqueue(bytes.count) { self.write(bytes, at: offset) }
    }

    /// Saves the index soon, because no more bytes are expected for now.
    func flush() { folder.writer.enqueue { self.perform { () throws(CacheFault) in try self.save() } } }

    /// Removes the files. Readers that have them open can still read.
    func remove() { folder.writer.enqueue { self.perform { () throws(CacheFault) in try self.unlink() } } }

    // MARK: On the writer's thread

    private var isSuspended: Bool { state.withLock { $0.isDetached || $0.suspendedUntil > folder.now } }

    private func perform(_ body: () throws(CacheFault) -> Void) {
        guard !folder.isSuspended, !state.withLock({ $0.isDetached }) else { return }
        do throws(CacheFault) {
            do throws(CacheFault) {
                try body()
            } catch {
                guard CacheFolder.isFull(error) else { throw error }
                try freeSpace()
                try body()
            }
        } catch {
            folder.suspend(after: error)
        }
    }

    /// Evicts other resources because the disk is full. The file is in use meanwhile, so that it is not evicted itself.
    private func freeSpace() throws(CacheFault) {
        let result: Void? = try withFile { _ throws(CacheFault) in try folder.freeSpace() }
        if result == nil { try folder.freeSpace() }
    }

    private func write(_ bytes: [UInt8], at offset: Int64) {
        perform { () throws(CacheFault) in
            let range = offset..<offset + Int64(bytes.count)
            guard range.upperBound <= identity.byteCount, !isSuspended else { return }
            let missing = state.withLock { $0.index.extents.missing(in: range) }
            let count = missing.reduce(0) { $0 + $1.count }
            guard count > 0 else { return }
            guard try openForWriting() else { return }
            let hasRoom = try withFile { file throws(CacheFault) -> Bool in
                // The file is in use here, so that it is not evicted itself.
                guard try folder.makeRoom(count) else { return false }
                for part in missing {
                    let slice = bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)]
                    try write(slice, part, to: file)
                }
                return true
            }
            if hasRoom == false {
                return state.withLock { $0.suspendedUntil = folder.now + Self.roomRetryDelay }
            }
            let (unsaved, held) = state.withLock { ($0.unsavedBytes, $0.index.extents.byteCount) }
            // The index of a long resource is large, so it is saved less often.
            if unsaved >= max(Int64(Extent.byteLimit), held / 32) || held == identity.byteCount { try save() }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>, _ range: Range<Int64>, to file: Int32) throws(CacheFault) {
        try folder.files.write(bytes, to: file, at: range.lowerBound)
        let extent = Extent(
            start: range.lowerBound,
            count: bytes.count,
            checksum: checksum(bytes, at: range.lowerBound)
        )
        state.withLock { state in
            if state.index.extents.insert(extent) { state.unsavedBytes += Int64(extent.count) }
        }
    }

    /// The delay in nanoseconds before space is searched again, which requires a scan of all files.
    private static let roomRetryDelay: Int64 = 2_000_000_000

    private func detach() { state.withLock { $0.isDetached = true } }

    /// Opens the data file for writing, or creates it. Returns false if that is not possible at present.
    private func openForWriting() throws(CacheFault) -> Bool {
        if let isWritable = try withFile({ _ in state.withLock { $0.isWritable } }) {
            if isWritable { return true }
            return try reopen()
        }
        try folder.locked { () throws(CacheFault) in
            let stored = folder.readIndex(key)
            if let stored, stored.identity == identity, try adopt(stored) { return }
            try create(replacing: stored)
        }
        return true
    }

    /// Opens the data file again for writing, because the folder was read-only before. Returns false if a reader uses
    /// the old descriptor now.
    private func reopen() throws(CacheFault) -> Bool {
        let generation = state.withLock { $0.index.generation }
        // If the file still cannot be written, this reports why.
        let file = try folder.files.open(folder.dataPath(key, generation), writable: true, creates: false)
        folder.files.close(file)
        closeFile()
        return try withFile({ _ in state.withLock { $0.isWritable } }) ?? false
    }

    /// Adopts the entry that another process has created for the same representation.
    private func adopt(_ stored: CacheIndex) throws(CacheFault) -> Bool {
        let file: Int32
        do throws(CacheFault) {
            file = try folder.files.open(
                folder.dataPath(key, stored.generation),
                writable: true,
                creates: false
            )
        } catch {
            guard error.code == CacheFolder.fileNotFound else { throw error }
            return false
        }
        do throws(CacheFault) {
            // This does not wait: exclusive locks require the lock of the folder, which this process holds now.
            _ = try folder.files.lock(file, isExclusive: false, waits: true)
        } catch {
            folder.files.close(file)
            throw error
        }
        state.withLock { state in
            state.index = stored
            (state.hasFile, state.file, state.isWritable) = (true, file, true)
        }
        OpenFiles.shared.markUsed(self)
        return true
    }

    /// Creates the data file and its index, and removes those of another representation.
    private func create(replacing old: CacheIndex?) throws(CacheFault) {
        var random = SystemRandomNumberGenerator()
        let generation = random.next()
        let file = try folder.files.open(folder.dataPath(key, generation), writable: true, creates: true)
        do throws(CacheFault) {
            _ = try folder.files.lock(file, isExclusive: false, waits: true)
            var index = state.withLock { $0.index }
            index.generation = generation
            try folder.writeIndex(index)
        } catch {
            folder.files.close(file)
            throw error
        }
        state.withLock { state in
            state.index.generation = generation
            (state.hasFile, state.file, state.isWritable) = (true, file, true)
        }
        OpenFiles.shared.markUsed(self)
        // Readers of the old representation have its file open.
        if let old { try folder.files.remove(folder.dataPath(key, old.generation)) }
    }

    /// Removes both files, unless another representation has replaced this one.
    private func unlink() throws(CacheFault) {
        let hasFile = state.withLock { $0.hasFile }
        detach()
        guard hasFile else { return }
        let generation = state.withLock { $0.index.generation }
        try folder.locked { () throws(CacheFault) in
            // Another representation may have replaced this one.
            guard let stored = folder.readIndex(key), stored.generation == generation else { return }
            try folder.files.remove(folder.indexPath(key))
            try folder.files.remove(folder.dataPath(key, generation))
        }
    }

    /// Writes the index if it has changed.
    private func save() throws(CacheFault) {
        let isNeeded = state.withLock { $0.hasFile && ($0.unsavedBytes > 0 || $0.hasOtherChanges) }
        guard isNeeded else { return }
        try withFile { file throws(CacheFault) in try save(file) }
    }

    private func save(_ file: Int32) throws(CacheFault) {
        try folder.locked { () throws(CacheFault) in
            let stored = folder.readIndex(key)
            let generation = state.withLock { $0.index.generation }
            // Another representation has replaced this one, or the file has been removed.
            guard stored.map({ $0.generation == generation }) ?? true, try folder.files.status(file).isLinked
            else { return detach() }
            let index = state.withLock { state in
                // Extents that another process has written.
                for extent in stored?.extents.all ?? [] where !state.rejected.contains(extent) {
                    state.index.extents.insert(extent)
                }
                state.unsavedBytes = 0
                state.hasOtherChanges = false
                return state.index
            }
            do throws(CacheFault) {
                try folder.writeIndex(index)
            } catch {
                state.withLock { $0.hasOtherChanges = true }
                throw error
            }
        }
    }
}
