internal import MediaCore

/// One resource in a cache's folder, as this process has it open.
///
/// Reads come from whoever needs bytes and block as a disk does; writes are done by the cache's own thread. What of it is there is
/// asked under a lock that nobody holds for long.
final class CacheEntry: Sendable {
    private struct State {
        var index: CacheIndex
        /// There is a data file.
        var hasFile = false
        /// -1: it is not open.
        var file: Int32 = -1
        /// How many use the open file now.
        var useCount = 0
        var isWritable = false
        /// Another state of the resource has taken its place: nothing is written any more.
        var isDetached = false
        /// There was no room: nothing is written before this moment of the machine's clock.
        var suspendedUntil: Int64 = 0
        /// Bytes that the index file does not say yet.
        var unsavedBytes: Int64 = 0
        var hasUnsavedRemovals = false
        /// They turned out to be wrong: they are not taken over from the index of another process.
        var rejected: Set<Extent> = []
    }

    let folder: CacheFolder
    let identity: CacheIndex.Identity
    let key: [UInt8]
    private let state: Locked<State>

    /// Of a resource that is not there yet: its files are made when the first bytes come.
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

    /// What is there from an earlier time; nil: nothing. Blocks as a disk does.
    static func open(_ folder: CacheFolder, _ key: [UInt8]) -> CacheEntry? {
        guard let index = folder.readIndex(key) else { return nil }
        do throws(CacheFault) {
            guard let (file, isWritable) = try openLocked(folder, folder.dataPath(key, index.generation))
            else { return nil }
            let entry = CacheEntry(folder, index, file, isWritable: isWritable)
            OpenFiles.shared.markUsed(entry)
            return entry
        } catch {
            // What cannot be opened is fetched.
            return nil
        }
    }

    /// nil: it is gone.
    private static func openLocked(_ folder: CacheFolder, _ path: String) throws(CacheFault) -> (Int32, Bool)?
    {
        let (file, isWritable) = try openData(folder, path)
        do throws(CacheFault) {
            // Whoever makes room has it, or has had it: then it is gone.
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

    // MARK: Its file

    /// Calls `body` with the data file, which is opened where it was closed; nil: somebody has removed it meanwhile, and nothing is there
    /// any more. Blocks as a disk does.
    private func withFile<Result>(_ body: (Int32) throws(CacheFault) -> Result) throws(CacheFault) -> Result?
    {
        guard let file = try acquireFile() else { return nil }
        defer {
            state.withLock { $0.useCount -= 1 }
            OpenFiles.shared.markUsed(self)
        }
        return try body(file)
    }

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
            // Somebody else may have opened it meanwhile.
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

    /// Unless it is being used.
    func closeFile() {
        let file = state.withLock { state -> Int32 in
            guard state.useCount == 0 else { return -1 }
            defer { state.file = -1 }
            return state.file
        }
        if file >= 0 { folder.files.close(file) }
    }

    // MARK: What is there

    var supportsRanges: Bool { state.withLock { $0.index.supportsRanges } }
    var isPublic: Bool { state.withLock { $0.index.isPublic } }
    var location: String? { state.withLock { $0.index.location } }
    var isComplete: Bool { state.withLock { $0.index.extents.byteCount == identity.byteCount } }

    func contains(_ offset: Int64) -> Bool { state.withLock { $0.index.extents.extent(at: offset) != nil } }

    func contiguousEnd(from offset: Int64, limit: Int64) -> Int64 {
        state.withLock { $0.index.extents.contiguousEnd(from: offset, limit: limit) }
    }

    func nextStored(after offset: Int64, limit: Int64) -> Int64? {
        state.withLock { $0.index.extents.nextStored(after: offset, limit: limit) }
    }

    /// The stretch with the byte at `offset`. nil: it is not there, or is not what it should be, and then is not there from now on.
    func read(at offset: Int64) -> (start: Int64, bytes: [UInt8])? {
        while let extent = state.withLock({ $0.index.extents.extent(at: offset) }) {
            if let bytes = read(extent) { return (extent.start, bytes) }
            state.withLock { state in
                state.index.extents.remove(extent)
                state.rejected.insert(extent)
                state.hasUnsavedRemovals = true
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
            // What a disk does not give back is fetched again.
            return nil
        }
    }

    private func checksum(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of($0, seed: UInt64(bitPattern: offset)) }
    }

    // MARK: What comes

    /// Keeps bytes, later and if nothing is in the way. At most `Extent.byteLimit` of them.
    func store(_ bytes: [UInt8], at offset: Int64) {
        guard !bytes.isEmpty, !folder.isSuspended, !isSuspended else { return }
        folder.writer.enqueue(bytes.count) { self.write(bytes, at: offset) }
    }

    /// What was written is in the index soon: for now nothing more comes.
    func flush() { folder.writer.enqueue { self.perform { () throws(CacheFault) in try self.save() } } }

    /// It is to be nowhere on the disk. Who has it open reads on.
    func remove() { folder.writer.enqueue { self.perform { () throws(CacheFault) in try self.unlink() } } }

    // MARK: On the writer's thread

    private var isSuspended: Bool { state.withLock { $0.isDetached || $0.suspendedUntil > TransferLoop.now } }

    private func perform(_ body: () throws(CacheFault) -> Void) {
        guard !folder.isSuspended, !state.withLock({ $0.isDetached }) else { return }
        do throws(CacheFault) {
            try body()
        } catch {
            folder.suspend(after: error)
        }
    }

    private func write(_ bytes: [UInt8], at offset: Int64) {
        perform { () throws(CacheFault) in
            let range = offset..<offset + Int64(bytes.count)
            guard range.upperBound <= identity.byteCount, !isSuspended else { return }
            let missing = state.withLock { $0.index.extents.missing(in: range) }
            let count = missing.reduce(0) { $0 + $1.count }
            guard count > 0 else { return }
            try openForWriting()
            guard !state.withLock({ $0.isDetached }) else { return }
            guard try folder.makeRoom(count) else {
                return state.withLock { $0.suspendedUntil = TransferLoop.now + Self.roomRetryDelay }
            }
            try withFile { file throws(CacheFault) in
                for part in missing {
                    let slice = bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)]
                    try write(slice, part, to: file)
                }
            }
            let (unsaved, held) = state.withLock { ($0.unsavedBytes, $0.index.extents.byteCount) }
            // An index of a long film is long, so it is written more rarely.
            if unsaved >= max(Int64(Extent.byteLimit), held / 32) || held == identity.byteCount { try save() }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>, _ range: Range<Int64>, to file: Int32) throws(CacheFault) {
        do throws(CacheFault) {
            try folder.files.write(bytes, to: file, at: range.lowerBound)
        } catch {
            // A full disk: what was used longest ago may give way.
            guard CacheFolder.isFull(error) else { throw error }
            try folder.clean(freeing: CacheFolder.bytesFreedWhenFull)
            try folder.files.write(bytes, to: file, at: range.lowerBound)
        }
        let extent = Extent(
            start: range.lowerBound,
            count: bytes.count,
            checksum: checksum(bytes, at: range.lowerBound)
        )
        state.withLock { state in
            if state.index.extents.insert(extent) { state.unsavedBytes += Int64(extent.count) }
        }
    }

    /// Nanoseconds: looking for room costs a look at each file.
    private static let roomRetryDelay: Int64 = 2_000_000_000

    private func detach() { state.withLock { $0.isDetached = true } }

    /// Its data file is open and can be written from now on.
    private func openForWriting() throws(CacheFault) {
        // The folder may have been read-only when it was opened; why, the next attempt says.
        if let isWritable = try withFile({ _ in state.withLock { $0.isWritable } }) {
            if !isWritable { try reopen() }
            return
        }
        try folder.locked { () throws(CacheFault) in
            let stored = folder.readIndex(key)
            if let stored, stored.identity == identity, try adopt(stored) { return }
            try create(replacing: stored)
        }
    }

    private func reopen() throws(CacheFault) {
        let generation = state.withLock { $0.index.generation }
        let file = try folder.files.open(folder.dataPath(key, generation), writable: true, creates: false)
        // The old one is still being read.
        folder.files.close(file)
        detach()
    }

    /// Another process has begun with the same one.
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
            // Nobody can have it for itself alone: who removes files holds the folder's lock.
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
        // Who plays the old one has it open.
        if let old { try folder.files.remove(folder.dataPath(key, old.generation)) }
    }

    private func unlink() throws(CacheFault) {
        let hasFile = state.withLock { $0.hasFile }
        detach()
        guard hasFile else { return }
        let generation = state.withLock { $0.index.generation }
        try folder.locked { () throws(CacheFault) in
            // Another state of the resource may have taken its place.
            guard let stored = folder.readIndex(key), stored.generation == generation else { return }
            try folder.files.remove(folder.indexPath(key))
            try folder.files.remove(folder.dataPath(key, generation))
        }
    }

    private func save() throws(CacheFault) {
        let isNeeded = state.withLock { $0.hasFile && ($0.unsavedBytes > 0 || $0.hasUnsavedRemovals) }
        guard isNeeded else { return }
        try withFile { file throws(CacheFault) in try save(file) }
    }

    private func save(_ file: Int32) throws(CacheFault) {
        try folder.locked { () throws(CacheFault) in
            let stored = folder.readIndex(key)
            let generation = state.withLock { $0.index.generation }
            // Another state of the resource has taken its place, or somebody has removed it.
            guard stored.map({ $0.generation == generation }) ?? true, try folder.files.status(file).isLinked
            else { return detach() }
            let index = state.withLock { state in
                // What another process has fetched.
                for extent in stored?.extents.all ?? [] where !state.rejected.contains(extent) {
                    state.index.extents.insert(extent)
                }
                state.unsavedBytes = 0
                state.hasUnsavedRemovals = false
                return state.index
            }
            try folder.writeIndex(index)
        }
    }
}
