import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

@Suite("Cache: what was fetched is there the next time", .timeLimit(.minutes(1)))
struct DiskCacheTests {
    private typealias Change = @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void

    /// With a cache that is empty.
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
        async throws -> SharedHTTPSource
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

    @Test("One question without a body, and it is there as a file is")
    func again() async throws {
        try await use { file in
            try await expectLocal(file, "/film.mp4", false)
            let sent = file.server.bodyBytes
            file.beAnotherProcess()
            try await expectLocal(file)
            #expect(file.requests.dropFirst() == ["0-0 \"1\""])
            // A head, and no body.
            #expect(file.server.bodyBytes - sent < 200)
        }
    }

    @Test("Parts that were read are there, and what is missing is fetched")
    func parts() async throws {
        try await use(size: 3_000_000) { file in
            file.policy.window = 100_000
            file.policy.initialWindow = 100_000
            _ = try await read(file, from: 2_000_000, upTo: 300_000)
            _ = try await read(file, from: 50_000, upTo: 500_000)
            let before = file.server.log.count
            file.beAnotherProcess()
            _ = try await read(file, from: 2_000_000, upTo: 300_000)
            _ = try await read(file, from: 50_000, upTo: 500_000)
            // What was still being fetched ahead may come before it.
            #expect(file.requests[before...].count { $0 == "0-0 \"1\"" } == 2)
            let ranges = file.ranges.dropFirst(before)
            #expect(
                ranges.allSatisfy { $0.first >= 2_300_000 || 550_000..<2_000_000 ~= $0.first },
                "\(file.requests)"
            )
            file.beAnotherProcess()
            _ = try await read(file)
            file.beAnotherProcess()
            try await expectLocal(file)
        }
    }

    @Test("What is there as a whole is played where no server is")
    func offline() async throws {
        try await use { file in
            _ = try await read(file)
            file.server.stop()
            file.server.waitUntilClosed()
            file.beAnotherProcess()
            try await expectLocal(file)
        }
    }

    @Test("The same where the server is in trouble, or does not answer", arguments: [503, 500, 0])
    func trouble(status: Int) async throws {
        let change: Change = { request, answer in
            if request.number > 1 {
                answer = FaultServer.Answer(status)
                answer.isNothing = status == 0
            }
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.beAnotherProcess()
            try await expectLocal(file)
            // libcurl asks again by itself where the connection that it had kept ends so.
            #expect(file.server.log.count <= (status == 0 ? 3 : 2))
        }
    }

    @Test("What is there in part is not played as if it were whole")
    func partOffline() async throws {
        try await use(size: 3_000_000) { file in
            file.policy.window = 100_000
            file.policy.initialWindow = 100_000
            _ = try await read(file, upTo: 300_000)
            file.server.stop()
            file.server.waitUntilClosed()
            file.beAnotherProcess()
            let source = try file.source()
            let error = #expect(throws: MediaError.self) { try ServedFile.read(source) }
            #expect(error?.code == .io)
        }
    }

    @Test("A server that has removed it, or wants to know who asks, is obeyed", arguments: [403, 404, 410])
    func removed(status: Int) async throws {
        let change: Change = { request, answer in
            if request.number > 1 { answer = FaultServer.Answer(status) }
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.beAnotherProcess()
            let source = try file.source()
            let error = #expect(throws: MediaError.self) { try ServedFile.read(source) }
            #expect(error?.code == (status == 403 ? .permissionDenied : .notFound))
        }
    }

    /// What tells one state of a file from another.
    enum Sign: CaseIterable, Sendable {
        case tag, weakTag, date, tagWithoutConditions, dateWithoutConditions
    }

    private static func sign(_ sign: Sign, _ version: Int, _ bytes: [UInt8], _ request: FaultServer.Request)
        -> FaultServer.Answer
    {
        let date = "Sun, 0\(version) Nov 2026 10:00:00 GMT"
        let tag = "\(sign == .weakTag ? "W/" : "")\"\(version)\""
        var answer = FaultServer.Answer.file(bytes, for: request, tag: sign == .date ? date : tag)
        switch sign {
        case .tag: break
        case .weakTag:
            if request.headers["if-range"] != nil { answer = .whole(bytes, tag: tag) }
            if request.headers["if-none-match"] == tag {
                answer = FaultServer.Answer(304, headers: [("ETag", tag)])
            }
        case .date, .dateWithoutConditions:
            if sign == .date, request.headers["if-modified-since"] == date {
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

    @Test("A file that has changed is the new one only, by whatever it is told", arguments: Sign.allCases)
    func changed(sign: Sign) async throws {
        let (old, new) = (ServedFile.bytes(300_000), ServedFile.bytes(300_000, seed: 2))
        let version = Locked(1)
        let change: Change = { request, answer in
            let version = version.withLock { $0 }
            answer = Self.sign(sign, version, version == 1 ? old : new, request)
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.beAnotherProcess()
            // As long as it is the same nothing is fetched.
            let before = file.server.log.count
            try await expectLocal(file)
            #expect(file.server.log.count == before + 1)
            version.withLock { $0 = 2 }
            for _ in 0..<2 {
                file.beAnotherProcess()
                let source = try file.source()
                #expect(try ServedFile.read(source) == new)
                await file.flush()
            }
            #expect(file.server.log.count <= before + 4)
        }
    }

    @Test("A file of another length is another one, though its tag is the same")
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
            file.beAnotherProcess()
            #expect(try ServedFile.read(try file.source()) == new)
        }
    }

    @Test("Without a tag and a date nothing is kept on disk")
    func nothingToTell() async throws {
        let change: Change = { _, answer in answer.set("ETag", nil)
        }
        try await use(change: change) { file in
            _ = try await read(file)
            let path = try #require(file.options.cache?.directory.path)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    /// Answers that must not be kept, though their length is known.
    enum Unkept: CaseIterable, Sendable {
        case forbidden, young
    }

    @Test(
        "What the server wants on no disk, and what may change again with the same date, is not kept",
        arguments: Unkept.allCases
    )
    func unkept(unkept: Unkept) async throws {
        let change: Change = { _, answer in
            switch unkept {
            case .forbidden: answer.set("Cache-Control", "private, No-Store")
            case .young:
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

    @Test("A server without ranges is read once, and then has them: the cache's")
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
            file.beAnotherProcess()
            _ = try await read(file, from: 2_000_000)
            _ = try await read(file, from: 100)
            #expect(file.server.log.count(where: { $0.headers["if-none-match"] == nil }) == 1)
        }
    }

    @Test("More than there is memory for comes from the disk, each byte fetched once")
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
        "A bit that was flipped costs a request, and nothing wrong is read",
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
                file.beAnotherProcess()
                let count = file.server.log.count
                _ = try await read(file)
                #expect(file.server.log.count > count)
            }
            file.beAnotherProcess()
            try await expectLocal(file)
        }
    }

    @Test("A link that expires is found again without its signature")
    func expiringLink() async throws {
        let key: @Sendable (URL) -> String = { url in url.path }
        try await use(key: key) { file in
            _ = try await read(file, "/film.mp4?signature=1")
            let sent = file.server.bodyBytes
            try await expectLocal(file, "/film.mp4?signature=2")
            #expect(file.server.log.last?.path == "/film.mp4?signature=2")
            #expect(file.server.bodyBytes - sent < 200)
        }
    }

    @Test("Other credentials and headers are other files")
    func credentials() async throws {
        try await use { file in
            _ = try await read(file)
            file.options.headers = [NetworkOptions.Header(name: "Authorization", value: "Bearer 1")]
            _ = try await read(file)
            #expect(file.requests.allSatisfy { !$0.contains("\"") })
        }
    }

    @Test("It is asked for where the server leads on to")
    func redirected() async throws {
        let change: Change = { request, answer in
            if request.path == "/film.mp4" {
                answer = FaultServer.Answer(302, headers: [("Location", "/elsewhere.mp4")])
            }
        }
        try await use(change: change) { file in
            _ = try await read(file)
            file.beAnotherProcess()
            try await expectLocal(file)
            #expect(
                file.server.log.map(\.path) == ["/film.mp4", "/elsewhere.mp4", "/film.mp4", "/elsewhere.mp4"]
            )
        }
    }

    /// Files of the folder that this process has open.
    private func openFiles(in folder: String) throws -> Int {
        let descriptors = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).count { name in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)")
            return path?.hasPrefix(folder) == true
        }
    }

    @Test("A hundred films that are held have few files open, and what is not open is opened when it is read")
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

    @Test("A file that was removed while it was closed is fetched again, and kept again")
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
            file.beAnotherProcess()
            try await expectLocal(file)
            withExtendedLifetime(others) {}
        }
    }

    @Test("A folder that cannot be: everything plays, and one warning names it")
    func noFolder() async throws {
        try await TemporaryFolder.use { path in
            try Data([1]).write(to: URL(fileURLWithPath: path + "/file"))
            var file = try SharedFile()
            defer { file.server.stop() }
            let cache = DiskCache(directory: URL(fileURLWithPath: path + "/file/cache"))
            let warnings = Locked([String]())
            cache.setWarningHandler { words in warnings.withLock { $0.append(words) } }
            file.options.cache = cache
            for _ in 0..<3 {
                _ = try await read(file)
                file.beAnotherProcess()
            }
            let told = warnings.withLock { $0 }
            #expect(told.count == 1)
            #expect(told.first?.contains(path + "/file/cache") == true)
        }
    }
}
