import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

@Suite("Cache folder", .timeLimit(.minutes(10)))
struct CacheFolderTests {
    private let key = SHA256.digest(of: "key")
    private let film = ServedFile.bytes(300_000)

    private func identity(_ tag: String = "\"1\"") throws -> CacheIndex.Identity {
        try #require(CacheIndex.Identity(byteCount: 300_000, entityTag: tag, lastModified: nil))
    }

    /// Returns the folder as a separate process would have it, with its own locks and state. It closes the file of
    /// `unread` when it needs space.
    private func folder(
        _ path: String,
        limit: Int64 = 1 << 30,
        _ files: any CacheFiles = SystemCacheFiles(),
        unread: Locked<CacheEntry?> = Locked(nil)
    ) -> CacheFolder {
        CacheFolder(path, byteLimit: limit, files: files, writer: CacheWriter()) {
            unread.withLock { $0 }?.closeFile()
        }
    }

    private func entry(_ folder: CacheFolder, tag: String = "\"1\"") throws -> CacheEntry {
        CacheEntry(folder, key, try identity(tag), supportsRanges: true)
    }

    /// Stores a range in extents, as if it came from a server.
    private func store(_ bytes: [UInt8], _ range: Range<Int>, _ entry: CacheEntry) {
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(range.upperBound, (start / Extent.byteLimit + 1) * Extent.byteLimit)
            entry.store(Array(bytes[start..<end]), at: Int64(start))
            start = end
        }
        entry.flush()
    }

    /// Reads all stored bytes. Records an issue for wrong ones. Returns their number.
    @discardableResult
    private func check(_ entry: CacheEntry?, is bytes: [UInt8], _ note: String = "") -> Int {
        guard let entry else { return 0 }
        var count = 0
        var place: Int64 = 0
        while place < bytes.count {
            if let part = entry.read(at: place) {
                let start = Int(part.start)
                #expect(part.bytes == Array(bytes[start..<start + part.bytes.count]), "\(note)")
                count += start + part.bytes.count - Int(place)
                place = part.start + Int64(part.bytes.count)
            } else {
                place = entry.nextStored(after: place, limit: .max / 2) ?? Int64(bytes.count)
            }
        }
        return count
    }

    /// Stores the whole film, as a process of its own.
    private func fill(_ path: String) async throws {
        let folder = folder(path)
        store(film, 0..<300_000, try entry(folder))
        await folder.flush(within: 60)
    }

    /// Returns the number of correct bytes that another process finds. Records an issue for wrong ones.
    private func found(_ path: String, _ note: String = "") -> Int {
        check(CacheEntry.open(folder(path), key), is: film, note)
    }

    /// Calls `body` once for each call that changes a file. The disk refuses that call and all following ones with
    /// `code`, or the process ends there if `code` is nil. Returns the number of the first call that did not occur.
    private func failing(
        with code: Int32?,
        _ body: (CacheFolder, FaultyFiles, _ number: Int) async throws -> Void
    ) async throws -> Int {
        var number = 0
        while true {
            number += 1
            let files = FaultyFiles(code.map { .refuses(from: number, code: $0) } ?? .ends(at: number))
            try await TemporaryFolder.use { path in
                try await body(folder(path + "/cache", files), files, number)
            }
            if files.changes < number { return number }
        }
    }

    @Test("A process reads what an earlier process has cached")
    func again() async throws {
        try await TemporaryFolder.use { path in
            let first = folder(path + "/made/when/needed")
            let entry = try entry(first)
            store(film, 100_000..<250_000, entry)
            await first.flush(within: 60)
            #expect(check(entry, is: film) == 150_000)
            let second = folder(first.path)
            let again = try #require(CacheEntry.open(second, key))
            #expect(again.identity == entry.identity)
            #expect(check(again, is: film) == 150_000)
            #expect(!again.isComplete)
            store(film, 0..<300_000, again)
            await second.flush(within: 60)
            #expect(again.isComplete)
            #expect(CacheEntry.open(folder(first.path), key)?.isComplete == true)
            #expect(CacheEntry.open(second, SHA256.digest(of: "another")) == nil)
        }
    }

    @Test("Only the user has access to the folder, and file names do not reveal URLs")
    func secrets() async throws {
        try await TemporaryFolder.use { path in
            let folder = folder(path + "/cache")
            store(film, 0..<300_000, try entry(folder))
            await folder.flush(within: 60)
            let manager = FileManager.default
            let names = try manager.contentsOfDirectory(atPath: folder.path)
            #expect(names.count == 3)
            for name in names + ["."] {
                let attributes = try manager.attributesOfItem(atPath: folder.path + "/" + name)
                let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue
                #expect(mode.map { $0 & 0o77 } == 0)
            }
        }
    }

    @Test("Two concurrent processes share one file, and each finds what the other has fetched")
    func together() async throws {
        try await TemporaryFolder.use { path in
            let (one, two) = (folder(path), folder(path))
            let (left, right) = (try entry(one), try entry(two))
            store(film, 0..<130_000, left)
            store(film, 120_000..<300_000, right)
            await one.flush(within: 60)
            await two.flush(within: 60)
            // The next writer adopts the extents of the other process.
            store(film, 0..<300_000, left)
            await one.flush(within: 60)
            #expect(left.isComplete)
            #expect(found(path) == 300_000)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 3)
        }
    }

    @Test("Another representation replaces the old one, whose readers continue to read it")
    func otherState() async throws {
        try await TemporaryFolder.use { path in
            let other = ServedFile.bytes(300_000, seed: 2)
            let (one, two) = (folder(path), folder(path))
            let old = try entry(one)
            store(film, 0..<200_000, old)
            await one.flush(within: 60)
            let new = try entry(two, tag: "\"2\"")
            store(other, 0..<150_000, new)
            await two.flush(within: 60)
            // Bytes that readers of the old representation fetch do not restore it.
            store(film, 200_000..<300_000, old)
            await one.flush(within: 60)
            check(old, is: film)
            let now = try #require(CacheEntry.open(folder(path), key))
            #expect(now.identity == new.identity)
            #expect(check(now, is: other) == 150_000)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 3)
        }
    }

    @Test(
        "A flipped bit in any file is detected, and the damaged bytes are not returned",
        arguments: [1, 2, 3] as [UInt64]
    )
    func flippedBit(seed: UInt64) async throws {
        var random = SplitMix64(seed)
        try await TemporaryFolder.use { path in
            try await fill(path)
            let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "lock" }
            for round in 0..<100 {
                let name = try #require(names.sorted().randomElement(using: &random))
                let url = URL(fileURLWithPath: path + "/" + name)
                let right = try Data(contentsOf: url)
                var bytes = right
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                try bytes.write(to: url)
                let entry = CacheEntry.open(folder(path), key)
                let note = "seed \(seed), round \(round), \(name), byte \(place)"
                let count = check(entry, is: film, note)
                #expect(
                    count < 300_000 && count >= (name.hasSuffix(".data") ? 300_000 - 65_536 : 0),
                    "\(note)"
                )
                try right.write(to: url)
            }
        }
    }

    @Test("Damaged bytes are replaced and are correct from then on")
    func healed() async throws {
        try await TemporaryFolder.use { path in
            try await fill(path)
            let name = try FileManager.default.contentsOfDirectory(atPath: path).first {
                $0.hasSuffix(".data")
            }
            let url = URL(fileURLWithPath: path + "/" + (try #require(name)))
            var bytes = try Data(contentsOf: url)
            bytes[70_000] ^= 4
            try bytes.write(to: url)
            let second = folder(path)
            let entry = try #require(CacheEntry.open(second, key))
            #expect(entry.read(at: 70_000) == nil)
            #expect(entry.nextStored(after: 70_000, limit: 100_000) == 131_072)
            store(film, 65_536..<131_072, entry)
            await second.flush(within: 60)
            #expect(found(path) == 300_000)
        }
    }

    @Test("A file that could only be opened for reading is written when that is possible again")
    func writableLater() async throws {
        try await TemporaryFolder.use { path in
            let first = folder(path)
            store(film, 0..<100_000, try entry(first))
            await first.flush(within: 60)
            let second = folder(path, FaultyFiles(.refusesOnce(at: 1, code: EROFS)))
            let reopened = try #require(CacheEntry.open(second, key))
            #expect(reopened.read(at: 0)?.bytes == Array(film[..<65_536]))
            store(film, 100_000..<300_000, reopened)
            await second.flush(within: 60)
            #expect(found(path) == 300_000)
        }
    }

    @Test("If a process ends before any change of a file, the next process finds correct bytes")
    func endsAnywhere() async throws {
        let other = ServedFile.bytes(300_000, seed: 2)
        let count = try await failing(with: nil) { first, _, number in
            store(film, 0..<200_000, try entry(first))
            store(other, 0..<200_000, try entry(first, tag: "\"2\""))
            await first.flush(within: 60)
            let second = folder(first.path)
            if let found = CacheEntry.open(second, key) {
                let isOld = found.identity == (try identity())
                check(found, is: isOld ? film : other, "change \(number)")
            }
            // The next process continues from there.
            store(film, 0..<300_000, try entry(second))
            await second.flush(within: 60)
            #expect(found(first.path, "change \(number)") == 300_000, "change \(number)")
            try second.clean(downTo: .max)
            let names = try FileManager.default.contentsOfDirectory(atPath: first.path)
            #expect(names.count == 3, "change \(number): \(names)")
        }
        #expect(count > 10)
    }

    @Test(
        "If any call of the disk fails, reads are correct, and one warning names the folder",
        arguments: [ENOSPC, EROFS, EIO, EACCES]
    )
    func refused(code: Int32) async throws {
        let count = try await failing(with: code) { first, files, number in
            let warnings = Locked([String]())
            first.setWarningHandler { message in warnings.withLock { $0.append(message) } }
            let entry = try entry(first)
            store(film, 0..<200_000, entry)
            store(film, 200_000..<300_000, entry)
            await first.flush(within: 60)
            check(entry, is: film, "call \(number)")
            let messages = warnings.withLock { $0 }
            #expect(messages.count == (files.changes >= number ? 1 : 0), "call \(number): \(messages)")
            #expect(messages.allSatisfy { $0.contains(first.path) })
            _ = found(first.path, "call \(number)")
        }
        #expect(count > 5)
    }

    @Test(
        "If the disk is full at any call, an older resource is evicted, and the new one is stored",
        arguments: [false, true]
    )
    func fullDisk(isUnread: Bool) async throws {
        let newKey = SHA256.digest(of: "new")
        var (number, evictions) = (0, 0)
        while true {
            number += 1
            let files = FaultyFiles(.refusesOnce(at: number, code: ENOSPC))
            try await TemporaryFolder.use { path in
                try await fill(path)
                let unread = Locked(CacheEntry?.none)
                let full = folder(path, files, unread: unread)
                let warnings = Locked([String]())
                full.setWarningHandler { message in warnings.withLock { $0.append(message) } }
                let entry = CacheEntry(full, newKey, try identity(), supportsRanges: true)
                if isUnread { unread.withLock { $0 = entry } }
                defer { unread.withLock { $0 = nil } }
                store(film, 0..<300_000, entry)
                await full.flush(within: 60)
                let stored = CacheEntry.open(folder(path), newKey)
                #expect(check(stored, is: film) == 300_000, "call \(number)")
                #expect(warnings.withLock { $0 }.isEmpty, "call \(number)")
                if CacheEntry.open(folder(path), key) == nil { evictions += 1 }
            }
            if files.changes < number { break }
        }
        #expect(number > 10 && evictions > 5)
    }

    @Test("The least recently used resources are evicted, except those that are open")
    func eviction() async throws {
        try await TemporaryFolder.use { path in
            let limit: Int64 = 1_000_000
            func cached(_ name: String, _ folder: CacheFolder) async throws -> CacheEntry {
                let entry = CacheEntry(folder, SHA256.digest(of: name), try identity(), supportsRanges: true)
                store(film, 0..<300_000, entry)
                await folder.flush(within: 60)
                return entry
            }
            func isCached(_ name: String) -> Bool {
                CacheEntry.open(folder(path), SHA256.digest(of: name))?.isComplete ?? false
            }
            let first = folder(path, limit: limit)
            let held = try await cached("a", first)
            for name in ["b", "c"] { _ = try await cached(name, first) }
            // "b" is used again, so it is evicted after "c".
            #expect(isCached("b"))
            _ = try await cached("d", first)
            #expect(isCached("a"))
            #expect(isCached("b"))
            #expect(!isCached("c"))
            #expect(isCached("d"))
            #expect(check(held, is: film) == 300_000)
        }
    }

    @Test("A full folder is not scanned for each resource that is stored")
    func scans() async throws {
        try await TemporaryFolder.use { path in
            let files = FaultyFiles()
            let full = folder(path, limit: 1 << 20, files)
            let identity = CacheIndex.Identity(byteCount: 4096, entityTag: "\"1\"", lastModified: nil)
            let small = try #require(identity)
            func store(_ numbers: Range<Int>) async {
                for number in numbers {
                    let key = SHA256.digest(of: "\(number)")
                    let entry = CacheEntry(full, key, small, supportsRanges: true)
                    entry.store(Array(film[..<4096]), at: 0)
                }
                await full.flush(within: 60)
            }
            await store(0..<300)
            let before = files.lists
            await store(300..<400)
            #expect(files.lists > before && files.lists - before < 50)
            // The index files count, too. What was written since the last scan may exceed the limit.
            let used = try files.list(path).reduce(Int64(0)) { sum, name in
                let file = try files.open("\(path)/\(name)", writable: false, creates: false)
                defer { files.close(file) }
                return try sum + files.status(file).usedBytes
            }
            #expect(used < 5 << 18)
        }
    }

    @Test("A resource that exceeds the limit is cached in part", arguments: [false, true])
    func tooLong(isUnread: Bool) async throws {
        try await TemporaryFolder.use { path in
            let unread = Locked(CacheEntry?.none)
            let first = folder(path, limit: 150_000, unread: unread)
            let entry = try entry(first)
            if isUnread { unread.withLock { $0 = entry } }
            defer { unread.withLock { $0 = nil } }
            store(film, 0..<300_000, entry)
            await first.flush(within: 60)
            #expect(check(entry, is: film) == 131_072)
            #expect(found(path) == 131_072)
        }
    }

    @Test("A disk that hangs does not delay reads")
    func hangs() async throws {
        try await TemporaryFolder.use { path in
            let first = folder(path)
            store(film, 0..<100_000, try entry(first))
            await first.flush(within: 60)
            // Holds the lock like a process that was stopped.
            let files = SystemCacheFiles()
            let lock = try files.open(path + "/lock", writable: true, creates: true)
            #expect(try files.lock(lock, isExclusive: true, waits: true))
            let second = folder(path)
            let entry = try #require(CacheEntry.open(second, key))
            store(film, 0..<300_000, entry)
            await second.flush(within: 0.01)
            #expect(check(entry, is: film) >= 100_000)
            files.close(lock)
            await second.flush(within: 60)
            #expect(entry.isComplete)
        }
    }

    @Test("If the folder is removed while it is in use, its bytes are fetched again")
    func folderGoes() async throws {
        try await TemporaryFolder.use { path in
            let first = folder(path + "/cache")
            let held = try entry(first)
            store(film, 0..<100_000, held)
            await first.flush(within: 60)
            try FileManager.default.removeItem(atPath: first.path)
            #expect(check(held, is: film) == 100_000)
            store(film, 100_000..<200_000, held)
            await first.flush(within: 60)
            #expect(check(held, is: film) >= 100_000)
            // A new entry creates the folder again.
            store(film, 0..<300_000, try entry(first))
            await first.flush(within: 60)
            #expect(found(first.path) == 300_000)
        }
    }
}
