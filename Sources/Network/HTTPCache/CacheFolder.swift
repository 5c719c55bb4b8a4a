internal import FoundationEssentials
internal import Glibc
internal import MediaCore

/// The folder of a disk cache. One object per folder and limit serves the whole process.
///
/// Each resource has two files: the sparse file `KEY-GENERATION.data` holds its bytes at their offsets, and
/// `KEY.index` lists which of them are present. The index is replaced atomically after the bytes were written, so a
/// process may exit at any time. To create or remove names, a process holds the lock of the file `lock`. While a
/// process has a data file open, it holds a shared lock of it, which prevents its removal.
final class CacheFolder: Sendable {
    private struct State {
        var warningHandler: (@Sendable (String) -> Void)?
        /// Whether the handler is the default one, which another handler may replace.
        var hasDefaultHandler = false
        /// A warning that occurred before a handler was set.
        var pendingWarning: String?
        var hasWarned = false
        /// Nothing is written before this time of the clock.
        var suspendedUntil: Int64 = 0
        /// The size of all files as far as this process knows, or nil before the first scan.
        var usedBytes: Int64?
        var writtenSinceScan: Int64 = 0
    }

    let path: String
    let byteLimit: Int64
    let files: any CacheFiles
    let writer: CacheWriter
    private let clock: any HostClock
    /// Closes the files of resources that nothing reads.
    private let closeUnused: @Sendable () -> Void
    private let state = Locked(State())

    /// The delay in nanoseconds before writing is tried again after a failure.
    private static let retryDelay: Int64 = 60_000_000_000
    /// The number of written bytes after which the folder is scanned again, because other processes write as well.
    private static let scanInterval: Int64 = 16 << 20
    /// The number of bytes to free when the disk is full. This cache may not be the cause.
    private static let bytesFreedWhenFull: Int64 = 64 << 20

    private static let all = Locked([String: CacheFolder]())
    private static let writer = CacheWriter()

    /// Returns the object for a folder and a limit. The first one keeps `closeUnused`.
    static func shared(_ path: String, byteLimit: Int64, closeUnused: @escaping @Sendable () -> Void)
        -> CacheFolder
    {
        let name = "\(byteLimit) \(path)"
        return all.withLock { all in
            if let existing = all[name] { return existing }
            let folder = CacheFolder(
                path,
                byteLimit: byteLimit,
                files: SystemCacheFiles(),
                writer: writer,
                closeUnused: closeUnused
            )
            all[name] = folder
            return folder
        }
    }

    init(
        _ path: String,
        byteLimit: Int64,
        files: any CacheFiles,
        writer: CacheWriter,
        clock: any HostClock = SystemClock(),
        closeUnused: @escaping @Sendable () -> Void = {}
    ) {
        self.clock = clock
        self.closeUnused = closeUnused
        self.path = path
        self.byteLimit = byteLimit
        self.files = files
        self.writer = writer
    }

    /// Waits until all enqueued writes are done, for at most `seconds`.
    func flush(within seconds: Double = 5) async { await writer.flush(within: seconds) }

    static let fileNotFound: Int32 = ENOENT

    /// Returns true if the disk or the user's quota is full.
    static func isFull(_ fault: CacheFault) -> Bool { [ENOSPC, EDQUOT].contains(fault.code) }

    // MARK: Names

    /// Returns the hexadecimal digits of a key.
    func name(_ key: [UInt8]) -> String {
        key.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Returns the path of an index file.
    func indexPath(_ key: [UInt8]) -> String { "\(path)/\(name(key)).index" }

    /// Returns the path of a data file.
    func dataPath(_ key: [UInt8], _ generation: UInt64) -> String {
        "\(path)/\(name(key))-\(String(generation, radix: 16)).data"
    }

    // MARK: Warnings

    /// Sets the handler for warnings. The first handler that is not a default one remains.
    func setWarningHandler(isDefault: Bool = false, _ handler: @escaping @Sendable (String) -> Void) {
        let waiting = state.withLock { state -> String? in
            guard state.warningHandler == nil || state.hasDefaultHandler && !isDefault else { return nil }
            state.warningHandler = handler
            state.hasDefaultHandler = isDefault
            defer { state.pendingWarning = nil }
            return state.pendingWarning
        }
        if let waiting { handler(waiting) }
    }

    /// Suspends writing after a failure, and reports the first one.
    func suspend(after fault: CacheFault) {
        let reason = String(cString: strerror(fault.code))
        let message =
            "disk cache \(path) cannot be written: \(reason). Bytes that are not cached are fetched again"
        let handler = state.withLock { state -> (@Sendable (String) -> Void)? in
            state.suspendedUntil = now + Self.retryDelay
            guard !state.hasWarned else { return nil }
            state.hasWarned = true
            if state.warningHandler == nil { state.pendingWarning = message }
            return state.warningHandler
        }
        handler?(message)
    }

    var isSuspended: Bool { state.withLock { $0.suspendedUntil > now } }

    /// The time in nanoseconds.
    var now: Int64 { clock.now.nanoseconds }

    // MARK: With the lock of the folder held

    /// Calls `body` while no other process or thread creates or removes names in the folder. Blocks until then.
    func locked<Result>(_ body: () throws(CacheFault) -> Result) throws(CacheFault) -> Result {
        let file: Int32
        do throws(CacheFault) {
            file = try files.open("\(path)/lock", writable: true, creates: true)
        } catch {
            guard error.code == Self.fileNotFound else { throw error }
            try files.makeFolder(path)
            file = try files.open("\(path)/lock", writable: true, creates: true)
        }
        defer { files.close(file) }
        _ = try files.lock(file, isExclusive: true, waits: true)
        return try body()
    }

    /// Reads an index. Returns nil if it is missing or damaged.
    func readIndex(_ key: [UInt8]) -> CacheIndex? {
        do throws(CacheFault) {
            let file = try files.open(indexPath(key), writable: false, creates: false)
            defer { files.close(file) }
            let size = try files.status(file).size
            guard size <= Self.indexLimit else { return nil }
            return CacheIndex(try files.read(file, count: Int(size), at: 0), key: key)
        } catch {
            // An unreadable index counts as missing.
            return nil
        }
    }

    /// The size of the index of a resource of 100 GB.
    private static let indexLimit: Int64 = 64 << 20

    /// Replaces the index file of a resource.
    func writeIndex(_ index: CacheIndex) throws(CacheFault) {
        let temporary = "\(path)/\(name(index.key)).new"
        // A longer file may be left from an earlier process.
        try files.remove(temporary)
        let file = try files.open(temporary, writable: true, creates: true)
        do throws(CacheFault) {
            defer { files.close(file) }
            try files.write(index.encoded()[...], to: file, at: 0)
        } catch {
            try files.remove(temporary)
            throw error
        }
        try files.rename(temporary, to: indexPath(index.key))
    }

    // MARK: Space

    /// Evicts the least recently used resources, because the disk is full.
    func freeSpace() throws(CacheFault) {
        closeUnused()
        try clean(freeing: Self.bytesFreedWhenFull)
    }

    /// Makes space for more bytes. Returns false if all remaining files are in use.
    func makeRoom(_ byteCount: Int) throws(CacheFault) -> Bool {
        let used = state.withLock { state -> Int64? in
            guard let used = state.usedBytes, state.writtenSinceScan < Self.scanInterval,
                used + Int64(byteCount) <= byteLimit
            else { return nil }
            state.usedBytes = used + Int64(byteCount)
            state.writtenSinceScan += Int64(byteCount)
            return used
        }
        if used != nil { return true }
        // More is freed than is needed now, so that a full folder is not scanned for each write.
        let spare = min(Self.scanInterval, byteLimit / 64)
        let limit = byteLimit - Int64(byteCount) - spare
        var left = try clean(downTo: limit)
        if left + Int64(byteCount) > byteLimit {
            // The files may be open in this process for resources without readers.
            closeUnused()
            left = try clean(downTo: limit)
        }
        state.withLock { state in
            state.usedBytes = left + Int64(byteCount)
            state.writtenSinceScan = 0
        }
        return left + Int64(byteCount) <= byteLimit
    }

    private struct Data {
        var name: String
        /// The key as part of the file name.
        var key: Substring
        /// The space that the file uses on the disk, with its index.
        var usedBytes: Int64
        var time: Int64
    }

    /// Removes orphaned files, and then the least recently used ones that no process has open. Returns the number of
    /// bytes that remain.
    @discardableResult
    func clean(downTo limit: Int64 = .max, freeing byteCount: Int64 = 0) throws(CacheFault) -> Int64 {
        try locked { () throws(CacheFault) -> Int64 in
            var found: [Data] = []
            let names = try files.list(path)
            let existing = Set(names)
            for name in names {
                // Only the holder of the lock creates such a file, so it is not in use.
                if name.hasSuffix(".new") { try files.remove("\(path)/\(name)") }
                if name.hasSuffix(".data"), let data = status(ofFile: name) { found.append(data) }
            }
            let counts = found.reduce(into: [Substring: Int]()) { $0[$1.key, default: 0] += 1 }
            let orphans = found.filter { isOrphan($0, isOnly: counts[$0.key] == 1, existing) }.map(\.name)
            for orphan in orphans { try files.remove("\(path)/\(orphan)") }
            let removed = Set(orphans)
            found.removeAll { removed.contains($0.name) }
            // The index of a small resource uses as much space as its bytes.
            for position in found.indices {
                found[position].usedBytes += usedBytes(ofFile: "\(found[position].key).index")
            }
            var total = found.reduce(0) { $0 + $1.usedBytes }
            let limit = min(limit, total - byteCount)
            for data in found.sorted(by: { $0.time < $1.time }) where total > limit {
                if try remove(data) { total -= data.usedBytes }
            }
            return total
        }
    }

    /// Returns true if no index names the file: a process ended before it wrote the index, or another representation
    /// has replaced this one. `isOnly` is true if there is no other file with the same key.
    private func isOrphan(_ data: Data, isOnly: Bool, _ existing: Set<String>) -> Bool {
        guard existing.contains("\(data.key).index") else { return true }
        guard !isOnly else { return false }
        guard let key = Self.key(data.key), let index = readIndex(key) else { return true }
        return !dataPath(key, index.generation).hasSuffix("/" + data.name)
    }

    private static func key(_ name: Substring) -> [UInt8]? {
        let digits = Array(name)
        guard digits.count == 64 else { return nil }
        let bytes = stride(from: 0, to: 64, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        return bytes.contains(nil) ? nil : bytes.compactMap(\.self)
    }

    /// Returns the size and age of a data file, or nil if it cannot be opened.
    private func status(ofFile name: String) -> Data? {
        do throws(CacheFault) {
            let file = try files.open("\(path)/\(name)", writable: false, creates: false)
            defer { files.close(file) }
            let status = try files.status(file)
            let key = name.prefix { $0 != "-" }
            return Data(name: name, key: key, usedBytes: status.usedBytes, time: status.time)
        } catch {
            return nil
        }
    }

    /// Returns the space that a file uses on the disk, or 0 if it cannot be opened.
    private func usedBytes(ofFile name: String) -> Int64 {
        do throws(CacheFault) {
            let file = try files.open("\(path)/\(name)", writable: false, creates: false)
            defer { files.close(file) }
            return try files.status(file).usedBytes
        } catch {
            return 0
        }
    }

    /// Removes a resource. Returns false if a process has it open.
    private func remove(_ data: Data) throws(CacheFault) -> Bool {
        let file = try files.open("\(path)/\(data.name)", writable: false, creates: false)
        defer { files.close(file) }
        guard try files.lock(file, isExclusive: true, waits: false) else { return false }
        // Remove the index first: an index without data would cost one failed attempt.
        try files.remove("\(path)/\(data.key).index")
        try files.remove("\(path)/\(data.name)")
        return true
    }
}
