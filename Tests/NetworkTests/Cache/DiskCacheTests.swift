import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

@Suite("Disk cache", .timeLimit(.minutes(10)))
struct DiskCacheTests {
    private typealias Change = @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void

    /// Calls `body` with an empty cache.
    private func use(
        size: Int = 300_000,
        key: (@Sendable (URL) -> String)? = nil,
        change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void = { _, _ in },
        _ body: (inout SharedFile) async throws -> Void
    ) async throws {
        try await TemporaryFolder.use { path in
            var file = try SharedFile(size: size, change: change)
            defer { file.server.stop() }
            file.options.cache = DiskCache(directory: URL(fileURLWithPath: path + "/cache"), key: key)
            try await body(&file)
        }
    }

    private func read(
        _ file: SharedFile,
        _ path: String = "/film.mp4",
        from offset: Int = 0,
        upTo count: Int = .max
    )
        async throws -> HTTPByteSource
    {
        let source = try file.source(path)
        let part = try ServedFile.read(source, from: Int64(offset), upTo: count)
        #expect(part == Array(file.bytes[offset...].prefix(count)))
        await file.flush()
        return source
    }

    private func expectLocal(_ file: SharedFile, _ path: String = "/film.mp4", _ expected: Bool = true)
        async throws
    {
        let source = try await read(file, path)
        #expect(source.isLocal == expected)
    }

    @Test(
        "The default cache is in the cache directory of the user",
        arguments: [
            (nil, "/home/u/.cache/playhead"), ("", "/home/u/.cache/playhead"), ("/x/y", "/x/y/playhead"),
            ("relative", "/home/u/.cache/playhead"),
        ] as [(String?, String)]
    )
    func defaultDirectory(declared: String?, path: String) {
        let environment = declared.map { ["XDG_CACHE_HOME": $0] } ?? [:]
        #expect(DiskCache.defaultDirectory(environment, home: "/home/u").path == path)
        #expect(DiskCache.default.maximumBytes == 1 << 30)
        #expect(DiskCache.default.directory.lastPathComponent == "playhead")
    }

    @Test(
        "Caches with the same folder and limit are equal, and caches with a key function only to themselves"
    )
    func equality() {
        func cache(_ path: String, _ limit: Int64 = 10, key: (@Sendable (URL) -> String)? = nil)
            -> DiskCache
        {
            DiskCache(directory: URL(fileURLWithPath: path), maximumBytes: limit, key: key)
        }
        let (one, same) = (cache("/a"), cache("/b/../a"))
        #expect(one == same)
        #expect(one.hashValue == same.hashValue)
        #expect(NetworkOptions(cache: one) == NetworkOptions(cache: same))
        let keyed = cache("/a") { $0.path }
        let copy = keyed
        #expect(keyed == copy)
        for other in [cache("/a") { $0.path }, one] { #expect(keyed != other) }
        for other in [cache("/b"), cache("/a", 11)] { #expect(one != other) }
    }

    @Test("A cached file is local after one revalidation without a body")
    func again() async throws {
        try await use { file in
            try await expectLocal(file, "/film.mp4", false)
            let sent = await file.sentBytes()
            file.simulateNewProcess()
            try await expectLocal(file)
            #expect(file.requests.dropFirst() == ["0-0 \"1\""])
            // The headers of a response, without a body.
            #expect(await file.sentBytes() - sent < 200)
        }
    }

    @Test("Cached parts are reused, and missing parts are fetched")
    func parts() async throws {
        try await use(size: 3_000_000) { file in
            file.policy.window = 100_000
            file.policy.initialWindow = 100_000
            _ = try await read(file, from: 2_000_000, upTo: 300_000)
            _ = try await read(file, from: 50_000, upTo: 500_000)
            let before = file.server.log.count
            file.simulateNewProcess()
            _ = try await read(file, from: 2_000_000, upTo: 300_000)
            _ = try await read(file, from: 50_000, upTo: 500_000)
            // Requests that were reading ahead may come first.
            #expect(file.requests[before...].count { $0 == "0-0 \"1\"" } == 2)
            let ranges = file.ranges.dropFirst(before)
            #expect(
                ranges.allSatisfy { $0.first >= 2_300_000 || 550_000..<2_000_000 ~= $0.first },
                "\(file.requests)"
            )
            file.simulateNewProcess()
            _ = try await read(file)
            file.simulateNewProcess()
            try await expectLocal(file)
        }
    }

    @Test("A completely cached file is read without a server")
    func offline() async throws {
        try await use { file in
            _ = try await read(file)
            file.server.stop()
            file.server.waitUntilClosed()
            file.simulateNewProcess()
            try await expectLocal(file)
        }
    }

    @Test(
        "A completely cached file is read if the server fails or does not respond",
        arguments: [503, 500, 0]
    )
    func trouble(status: Int) async throws {
        let change: Change = { request, answer in
            if request.number > 1 {
                answer = FaultServer.Answer(status)
                answer.closesWithoutResponse = status == 0
            }
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.simulateNewProcess()
            try await expectLocal(file)
            // libcurl repeats the request by itself if a kept connection closes without a response.
            #expect(file.server.log.count <= (status == 0 ? 3 : 2))
        }
    }

    @Test("A partly cached file fails without a server")
    func partOffline() async throws {
        try await use(size: 3_000_000) { file in
            file.policy.window = 100_000
            file.policy.initialWindow = 100_000
            _ = try await read(file, upTo: 300_000)
            file.server.stop()
            file.server.waitUntilClosed()
            file.simulateNewProcess()
            let source = try file.source()
            let error = #expect(throws: MediaError.self) { try ServedFile.read(source) }
            #expect(error?.code == .io)
        }
    }

    @Test("A cached file that the server has removed or forbidden is not read", arguments: [403, 404, 410])
    func removed(status: Int) async throws {
        let change: Change = { request, answer in
            if request.number > 1 { answer = FaultServer.Answer(status) }
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.simulateNewProcess()
            let source = try file.source()
            let error = #expect(throws: MediaError.self) { try ServedFile.read(source) }
            #expect(error?.code == (status == 403 ? .permissionDenied : .notFound))
        }
    }

    /// The validators with which a server distinguishes the versions of a file.
    enum Validator: CaseIterable, Sendable {
        case tag, weakTag, date, tagWithoutConditions, dateWithoutConditions
    }

    private static func answer(
        _ validator: Validator,
        _ version: Int,
        _ bytes: [UInt8],
        _ request: FaultServer.Request
    )
        -> FaultServer.Answer
    {
        let date = "Sun, 0\(version) Nov 2026 10:00:00 GMT"
        let tag = "\(validator == .weakTag ? "W/" : "")\"\(version)\""
        var answer = FaultServer.Answer.file(bytes, for: request, tag: validator == .date ? date : tag)
        switch validator {
        case .tag: break
        case .weakTag:
            if request.headers["if-range"] != nil { answer = .whole(bytes, tag: tag) }
            if request.headers["if-none-match"] == tag {
                answer = FaultServer.Answer(304, headers: [("ETag", tag)])
            }
        case .date, .dateWithoutConditions:
            if validator == .date, request.headers["if-modified-since"] == date {
                answer = FaultServer.Answer(304)
            }
            answer.set("ETag", nil)
            answer.set("Last-Modified", date)
        case .tagWithoutConditions:
            var plain = request
            plain.headers["if-none-match"] = nil
            answer = .file(bytes, for: plain, tag: tag)
        }
        return answer
    }

    @Test("A changed file is read from the server, whatever its validator is", arguments: Validator.allCases)
    func changed(validator: Validator) async throws {
        let (old, new) = (ServedFile.bytes(300_000), ServedFile.bytes(300_000, seed: 2))
        let version = Locked(1)
        let change: Change = { request, answer in
            let version = version.withLock { $0 }
            answer = Self.answer(validator, version, version == 1 ? old : new, request)
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.simulateNewProcess()
            // An unchanged file is not fetched again.
            let before = file.server.log.count
            try await expectLocal(file)
            #expect(file.server.log.count == before + 1)
            version.withLock { $0 = 2 }
            for _ in 0..<2 {
                file.simulateNewProcess()
                let source = try file.source()
                #expect(try ServedFile.read(source) == new)
                await file.flush()
            }
            #expect(file.server.log.count <= before + 4)
        }
    }

    @Test(
        "A cached file whose entity tag becomes strong or weak is not fetched again from a server without conditions",
        arguments: [("W/\"1\"", "\"1\""), ("\"1\"", "W/\"1\"")]
    )
    func weakTag(first: String, second: String) async throws {
        let film = ServedFile.bytes(300_000)
        let change: Change = { request, answer in
            var plain = request
            plain.headers["if-none-match"] = nil
            answer = .file(film, for: plain, tag: request.number == 1 ? first : second)
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.simulateNewProcess()
            try await expectLocal(file)
            #expect(file.server.log.count == 2)
        }
    }

    @Test("A file of another length has changed, even if its entity tag is the same")
    func otherLength() async throws {
        let new = ServedFile.bytes(299_999, seed: 2)
        let change: Change = { request, answer in
            guard request.number > 1 else { return }
            var plain = request
            plain.headers["if-none-match"] = nil
            answer = .file(new, for: plain)
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.simulateNewProcess()
            #expect(try ServedFile.read(try file.source()) == new)
        }
    }

    @Test("A file without a validator is not cached")
    func nothingToTell() async throws {
        let change: Change = { _, answer in answer.set("ETag", nil)
        }
        try await use(change: change) { file in
            _ = try await read(file)
            let path = try #require(file.options.cache?.directory.path)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    /// Reasons why a response with a known length is not stored.
    enum NotStored: CaseIterable, Sendable {
        case noStore, weakDate
    }

    @Test(
        "A response with no-store or with only a weak date is not cached",
        arguments: NotStored.allCases
    )
    func unkept(reason: NotStored) async throws {
        let change: Change = { _, answer in
            switch reason {
            case .noStore: answer.set("Cache-Control", "private, No-Store")
            case .weakDate:
                answer.set("ETag", nil)
                answer.set("Last-Modified", "Sun, 01 Nov 2026 10:00:00 GMT")
                answer.set("Date", "Sun, 01 Nov 2026 10:00:00 GMT")
            }
        }
        try await use(change: change) { file in
            _ = try await read(file)
            let path = try #require(file.options.cache?.directory.path)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("If only later responses have no-store, their bytes are not cached")
    func noStoreLater() async throws {
        let isNoStore = Locked(false)
        let change: Change = { _, answer in
            if isNoStore.withLock({ $0 }) { answer.set("Cache-Control", "no-store") }
        }
        try await use(size: 3_000_000, change: change) { file in
            file.policy.window = 100_000
            file.policy.initialWindow = 100_000
            _ = try await read(file, upTo: 300_000)
            isNoStore.withLock { $0 = true }
            for _ in 0..<2 {
                file.simulateNewProcess()
                try await expectLocal(file, "/film.mp4", false)
            }
        }
    }

    @Test("A file from a server without range support is fetched once, and read at any offset from the cache")
    func withoutRanges() async throws {
        let film = ServedFile.bytes(3_000_000)
        let change: Change = { request, answer in
            if request.headers["if-none-match"] == nil { answer = .whole(film) }
        }
        try await use(size: 3_000_000, change: change) { file in
            file.policy.storeLimit = 1 << 20
            file.policy.window = 500_000
            _ = try await read(file)
            _ = try await read(file, from: 100_000, upTo: 500_000)
            file.simulateNewProcess()
            _ = try await read(file, from: 2_000_000)
            _ = try await read(file, from: 100)
            #expect(file.server.log.count(where: { $0.headers["if-none-match"] == nil }) == 1)
        }
    }

    @Test("A file larger than the memory limit is fetched once and read from the disk")
    func longer() async throws {
        try await use(size: 5_000_000) { file in
            file.policy.storeLimit = 1 << 20
            file.policy.window = 500_000
            file.policy.initialWindow = 500_000
            let source = try await read(file)
            let count = file.server.log.count
            let asked = file.server.log.compactMap(\.range).reduce(0) { $0 + ($1.last ?? 0) - $1.first + 1 }
            #expect(asked == 5_000_000)
            for _ in 0..<3 { #expect(try ServedFile.read(source) == file.bytes) }
            #expect(file.server.log.count == count)
        }
    }

    @Test(
        "A flipped bit causes a request, and correct bytes are read",
        arguments: [1, 2, 3] as [UInt64]
    )
    func flippedBit(seed: UInt64) async throws {
        var random = SplitMix64(seed)
        try await use { file in
            _ = try await read(file)
            let path = try #require(file.options.cache?.directory.path)
            for _ in 0..<10 {
                let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "lock" }
                let name = try #require(names.sorted().randomElement(using: &random))
                let url = URL(fileURLWithPath: path + "/" + name)
                var bytes = try Data(contentsOf: url)
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
                try bytes.write(to: url)
                file.simulateNewProcess()
                let count = file.server.log.count
                _ = try await read(file)
                #expect(file.server.log.count > count)
            }
            file.simulateNewProcess()
            try await expectLocal(file)
        }
    }

    @Test("An expiring URL is found again by its key without the signature")
    func expiringLink() async throws {
        let key: @Sendable (URL) -> String = { url in url.path }
        try await use(key: key) { file in
            _ = try await read(file, "/film.mp4?signature=1")
            let sent = await file.sentBytes()
            try await expectLocal(file, "/film.mp4?signature=2")
            #expect(file.server.log.last?.path == "/film.mp4?signature=2")
            #expect(await file.sentBytes() - sent < 200)
        }
    }

    /// A key function, and the number of requests that the server had received at each of its calls.
    private final class ObservedKey: Sendable {
        let requestCounts = Locked<[Int]>([])
        private let server = Locked<FaultServer?>(nil)

        func observe(_ served: FaultServer) { server.withLock { $0 = served } }

        func make(_ url: URL) -> String {
            let count = server.withLock { $0 }?.log.count ?? 0
            requestCounts.withLock { $0.append(count) }
            return url.path
        }
    }

    @Test("The key function is called before the first request, when the source holds no lock")
    func keyFunction() async throws {
        let key = ObservedKey()
        try await use(key: key.make) { file in
            key.observe(file.server)
            _ = try await read(file)
            let counts = key.requestCounts.withLock { $0 }
            #expect(!counts.isEmpty)
            #expect(counts.allSatisfy { $0 == 0 }, "\(counts)")
            file.simulateNewProcess()
            try await expectLocal(file)
        }
    }

    @Test("The key function is called before the request of a revalidation", arguments: [false, true])
    func keyFunctionOfRevalidation(hasChanged: Bool) async throws {
        let key = ObservedKey()
        let bytes = ServedFile.bytes(300_000)
        let change: Change = { request, answer in
            if hasChanged, request.number > 1 { answer = .file(bytes, for: request, tag: "\"2\"") }
        }
        try await use(key: key.make, change: change) { file in
            key.observe(file.server)
            _ = try await read(file)
            let count = file.server.log.count
            key.requestCounts.withLock { $0 = [] }
            file.simulateNewProcess()
            try await expectLocal(file, "/film.mp4", !hasChanged)
            let counts = key.requestCounts.withLock { $0 }
            #expect(!counts.isEmpty)
            #expect(counts.allSatisfy { $0 == count }, "\(counts)")
        }
    }

    @Test("Different headers are different cache entries")
    func credentials() async throws {
        try await use { file in
            _ = try await read(file)
            file.options.headers = [NetworkOptions.Header(name: "Authorization", value: "Bearer 1")]
            _ = try await read(file)
            #expect(file.requests.allSatisfy { !$0.contains("\"") })
        }
    }

    @Test("A cached file is revalidated at the target of its redirect")
    func redirected() async throws {
        let change: Change = { request, answer in
            if request.path == "/film.mp4" {
                answer = FaultServer.Answer(302, headers: [("Location", "/elsewhere.mp4")])
            }
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.simulateNewProcess()
            try await expectLocal(file)
            #expect(
                file.server.log.map(\.path) == ["/film.mp4", "/elsewhere.mp4", "/film.mp4", "/elsewhere.mp4"]
            )
        }
    }

    /// Returns the number of files in the folder that this process has open.
    private func openFiles(in folder: String) throws -> Int {
        let descriptors = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).count { name in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)")
            return path?.hasPrefix(folder) == true
        }
    }

    @Test("A hundred cached films have few open files, which are opened again when they are read")
    func openFiles() async throws {
        try await use(size: 200_000) { file in
            file.policy.storeLimit = 64 << 10
            let path = try #require(file.options.cache?.directory.path)
            let sources = try (0..<100).map { try file.source("/\($0).mp4") }
            for source in sources { #expect(try ServedFile.read(source) == file.bytes) }
            await file.flush()
            #expect(try openFiles(in: path) <= OpenFiles.shared.limit)
            let count = file.server.log.count
            for source in sources {
                source.source?.trim(to: 0)
                #expect(try ServedFile.read(source) == file.bytes)
            }
            #expect(file.server.log.count == count)
            #expect(try openFiles(in: path) <= OpenFiles.shared.limit)
        }
    }

    @Test("The file of a resource without readers can be closed, and its bytes stay in memory")
    func closedFile() async throws {
        try await use { file in
            let path = try #require(file.options.cache?.directory.path)
            _ = try await read(file)
            // Tests that run at the same time share the limit, and may have closed the file.
            #expect(try openFiles(in: path) <= 1)
            file.closeUnusedFiles()
            #expect(try openFiles(in: path) == 0)
            try FileManager.default.removeItem(atPath: path)
            let sent = await file.sentBytes()
            #expect(try ServedFile.read(try file.source()) == file.bytes)
            // The headers of a response, without a body.
            #expect(await file.sentBytes() - sent < 200)
        }
    }

    @Test("A resource in memory whose file was evicted while it was closed is not local")
    func evictedFile() async throws {
        try await use { file in
            let path = try #require(file.options.cache?.directory.path)
            try await read(file).source?.trim(to: 0)
            file.closeUnusedFiles()
            for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock" {
                try FileManager.default.removeItem(atPath: path + "/" + name)
            }
            let source = try file.source()
            #expect(try ServedFile.read(source) == file.bytes)
            #expect(!source.isLocal)
        }
    }

    @Test("At the limit, films that nothing reads any more are evicted for the one that is read")
    func fullFolder() async throws {
        try await TemporaryFolder.use { path in
            var file = try SharedFile()
            defer { file.server.stop() }
            let directory = URL(fileURLWithPath: path + "/cache")
            let cache = DiskCache(directory: directory, maximumBytes: 700_000)
            file.options.cache = cache
            for name in ["/a.mp4", "/b.mp4", "/c.mp4"] {
                // The folder closes the files of the pool that the process shares.
                let source = try HTTPByteSource(
                    url: file.server.url(name),
                    options: file.options,
                    policy: file.policy
                )
                #expect(try ServedFile.read(source) == file.bytes)
                HTTPResourcePool.shared.flush()
                await cache.folder.flush(within: 60)
                let key = try #require(source.resource.cacheKey())
                #expect(CacheEntry.open(cache.folder, key)?.isComplete == true, "\(name)")
            }
        }
    }

    @Test("A cache file that was removed while it was closed is fetched and cached again")
    func removedMeanwhile() async throws {
        try await use(size: 200_000) { file in
            file.policy.storeLimit = 64 << 10
            let path = try #require(file.options.cache?.directory.path)
            let source = try await read(file)
            let others = try (0..<OpenFiles.shared.limit).map { try file.source("/\($0).mp4") }
            for other in others { #expect(try ServedFile.read(other) == file.bytes) }
            await file.flush()
            for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock" {
                try FileManager.default.removeItem(atPath: path + "/" + name)
            }
            source.source?.trim(to: 0)
            let count = file.server.log.count
            #expect(try ServedFile.read(source) == file.bytes)
            #expect(file.server.log.count > count)
            await file.flush()
            file.simulateNewProcess()
            try await expectLocal(file)
            withExtendedLifetime(others) {}
        }
    }

    @Test("Without a usable folder everything is read, and one warning names the folder")
    func noFolder() async throws {
        try await TemporaryFolder.use { path in
            try Data([1]).write(to: URL(fileURLWithPath: path + "/file"))
            var file = try SharedFile()
            defer { file.server.stop() }
            let cache = DiskCache(directory: URL(fileURLWithPath: path + "/file/cache"))
            let warnings = Locked([String]())
            cache.setWarningHandler { message in warnings.withLock { $0.append(message) } }
            file.options.cache = cache
            for _ in 0..<3 {
                _ = try await read(file)
                file.simulateNewProcess()
            }
            let messages = warnings.withLock { $0 }
            #expect(messages.count == 1)
            #expect(messages.first?.contains(path + "/file/cache") == true)
        }
    }
}
