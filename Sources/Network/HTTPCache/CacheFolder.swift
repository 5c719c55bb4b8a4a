internal import Foundation
internal import Glibc
internal import MediaCore

/// A cache's folder, for all of the process.
///
/// For each resource there are two files: `KEY-GENERATION.data` has its bytes, each at its own place, with holes; `KEY.index` says
/// which of them are there. The index is replaced as a whole, and only after the bytes were written, so a process may end at any moment.
/// Who changes names holds the lock of the file `lock`. Who has a data file open holds a shared lock of it, so that nobody removes it.
final class CacheFolder: Sendable {
    private struct State {
        var warningHandler: (@Sendable (String) -> Void)?
        /// It was set by nobody in particular: another one takes its place.
        var hasDefaultHandler = false
        /// Not told yet to anybody.
        var pendingWarning: String?
        var hasWarned = false
        /// Nothing is written before this moment of the machine's clock.
        var suspendedUntil: Int64 = 0
        /// What the files take, as far as this process knows; nil: it has not looked.
        var usedBytes: Int64?
        var writtenSinceScan: Int64 = 0
    }

    let path: String
    let byteLimit: Int64
    let files: any CacheFiles
    let writer: CacheWriter
    private let state = Locked(State())

    /// Nanoseconds after which a folder that could not be written is tried again.
    private static let retryDelay: Int64 = 60_000_000_000
    /// Other processes write, too: after so much it looks again.
    private static let scanInterval: Int64 = 16 << 20
    /// What gives way where the disk is full: there may be other reasons for that than this cache.
    static let bytesFreedWhenFull: Int64 = 64 << 20

    private static let all = Locked([String: CacheFolder]())
    private static let writer = CacheWriter()

    static func shared(_ path: String, byteLimit: Int64) -> CacheFolder {
        let name = "\(byteLimit) \(path)"
        return all.withLock { all in
            if let known = all[name] { return known }
            let made = CacheFolder(path, byteLimit: byteLimit, files: SystemCacheFiles(), writer: writer)
            all[name] = made
            return made
        }
    }

    init(_ path: String, byteLimit: Int64, files: any CacheFiles, writer: CacheWriter) {
        self.path = path
        self.byteLimit = byteLimit
        self.files = files
        self.writer = writer
    }

    /// `seconds`: at most so long.
    func flush(within seconds: Double = 5) async { await writer.flush(within: seconds) }

    static let fileNotFound: Int32 = ENOENT

    /// The disk, or the user's part of it, is full.
    static func isFull(_ fault: CacheFault) -> Bool { [ENOSPC, EDQUOT].contains(fault.code) }

    // MARK: Names

    func name(_ key: [UInt8]) -> String {
        key.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    func indexPath(_ key: [UInt8]) -> String { "\(path)/\(name(key)).index" }

    func dataPath(_ key: [UInt8], _ generation: UInt64) -> String {
        "\(path)/\(name(key))-\(String(generation, radix: 16)).data"
    }

    // MARK: Warnings

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

    /// The folder cannot be used as it should: it is left alone for a while.
    func suspend(after fault: CacheFault) {
        let reason = String(cString: strerror(fault.code))
        let message =
            "the cache \(path) cannot be written (\(reason)): what is not in it is fetched again each time"
        let handler = state.withLock { state -> (@Sendable (String) -> Void)? in
            state.suspendedUntil = TransferLoop.now + Self.retryDelay
            guard !state.hasWarned else { return nil }
            state.hasWarned = true
            if state.warningHandler == nil { state.pendingWarning = message }
            return state.warningHandler
        }
        handler?(message)
    }

    var isSuspended: Bool { state.withLock { $0.suspendedUntil > TransferLoop.now } }

    // MARK: Under the lock of the folder

    /// Calls `body` while no other process, and no other thread, changes names here. Blocks until it may.
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

    /// nil: none, or none that can be believed.
    func readIndex(_ key: [UInt8]) -> CacheIndex? {
        do throws(CacheFault) {
            let file = try files.open(indexPath(key), writable: false, creates: false)
            defer { files.close(file) }
            let size = try files.status(file).size
            guard size <= Self.indexLimit else { return nil }
            return CacheIndex(try files.read(file, count: Int(size), at: 0), key: key)
        } catch {
            // What cannot be read is not there.
            return nil
        }
    }

    /// Of a resource of 100 GB.
    private static let indexLimit: Int64 = 64 << 20

    func writeIndex(_ index: CacheIndex) throws(CacheFault) {
        let temporary = "\(path)/\(name(index.key)).new"
        // A longer one may have been left behind.
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

    // MARK: Room

    /// Makes room for so many bytes more. False: there is none, for what is there is in use.
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
        var left = try clean(downTo: byteLimit - Int64(byteCount))
        if left + Int64(byteCount) > byteLimit {
            // This process itself may have open what nobody reads.
            HTTPResourcePool.shared.evictUnused { false }
            left = try clean(downTo: byteLimit - Int64(byteCount))
        }
        state.withLock { state in
            state.usedBytes = left + Int64(byteCount)
            state.writtenSinceScan = 0
        }
        return left + Int64(byteCount) <= byteLimit
    }

    private struct Data {
        var name: String
        /// As its name has it.
        var key: Substring
        var usedBytes: Int64
        var time: Int64
    }

    /// Removes what belongs to nothing, and then what was used longest ago, but nothing that somebody has open. Returns the bytes
    /// that the rest takes.
    @discardableResult
    func clean(downTo limit: Int64 = .max, freeing byteCount: Int64 = 0) throws(CacheFault) -> Int64 {
        try locked { () throws(CacheFault) -> Int64 in
            var found: [Data] = []
            let names = try files.list(path)
            let known = Set(names)
            for name in names {
                // Only who holds the lock makes one, so nobody is at it.
                if name.hasSuffix(".new") { try files.remove("\(path)/\(name)") }
                if name.hasSuffix(".data"), let data = status(ofFile: name) { found.append(data) }
            }
            let orphans = found.filter { isOrphan($0, among: found, known) }
            for orphan in orphans { try files.remove("\(path)/\(orphan.name)") }
            found.removeAll { data in orphans.contains { $0.name == data.name } }
            var total = found.reduce(0) { $0 + $1.usedBytes }
            let limit = min(limit, total - byteCount)
            for data in found.sorted(by: { $0.time < $1.time }) where total > limit {
                if try remove(data) { total -= data.usedBytes }
            }
            return total
        }
    }

    /// No index names it: a process ended while it made one, or another state of the resource took its place.
    private func isOrphan(_ data: Data, among found: [Data], _ known: Set<String>) -> Bool {
        guard known.contains("\(data.key).index") else { return true }
        guard found.contains(where: { $0.key == data.key && $0.name != data.name }) else { return false }
        guard let key = Self.key(data.key), let index = readIndex(key) else { return true }
        return !dataPath(key, index.generation).hasSuffix("/" + data.name)
    }

    private static func key(_ name: Substring) -> [UInt8]? {
        let digits = Array(name)
        guard digits.count == 64 else { return nil }
        let bytes = stride(from: 0, to: 64, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        return bytes.contains(nil) ? nil : bytes.compactMap(\.self)
    }

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

    /// False: somebody has it open.
    private func remove(_ data: Data) throws(CacheFault) -> Bool {
        let file = try files.open("\(path)/\(data.name)", writable: false, creates: false)
        defer { files.close(file) }
        guard try files.lock(file, isExclusive: true, waits: false) else { return false }
        // The index first: it names what is not there otherwise, which costs a request and no more.
        try files.remove("\(path)/\(data.key).index")
        try files.remove("\(path)/\(data.name)")
        return true
    }
}
