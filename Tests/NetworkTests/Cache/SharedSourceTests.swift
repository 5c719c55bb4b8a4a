import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// Opens one URL again and again, as one process or several would.
struct SharedFile {
    let bytes: [UInt8]
    let server: FaultServer
    var options = NetworkOptions(timeout: 5)
    var policy = ServedFile.policy
    /// What a process has in memory.
    private var sources = HTTPResourcePool()

    init(
        size: Int = 300_000,
        change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void = { _, _ in }
    ) throws {
        bytes = ServedFile.bytes(size)
        server = try FaultServer(bytes, change: change)
        policy.lingerTime = 0
    }

    func source(_ path: String = "/film.mp4") throws -> SharedHTTPSource {
        try SharedHTTPSource(url: server.url(path), options: options, policy: policy, sources)
    }

    /// With nothing in memory.
    mutating func beAnotherProcess() { sources = HTTPResourcePool() }

    /// What nobody reads is in memory no more.
    func evictAllUnused() { sources.evictAllUnused() }

    /// What came so far is on disk.
    func flush() async {
        sources.flush()
        await options.cache?.flush()
    }

    /// The ranges of requests that are no questions whether it has changed.
    var ranges: [(first: Int, last: Int?)] {
        server.log.filter { $0.headers["if-none-match"] == nil }.compactMap(\.range)
    }

    /// Each request with its range and what it makes depend on what.
    var requests: [String] {
        server.log.map { request in
            let range = request.range.map { "\($0.first)-\($0.last.map { String($0) } ?? "")" } ?? "-"
            let conditions = ["if-none-match", "if-modified-since"].compactMap { request.headers[$0] }
            return ([range] + conditions).joined(separator: " ")
        }
    }
}

@Suite("Network: one resource for all who open it", .timeLimit(.minutes(1)))
struct SharedSourceTests {
    @Test("Twenty who read at once: each byte once")
    func twenty() async throws {
        let file = try SharedFile(size: 3_000_000)
        defer { file.server.stop() }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<20 {
                let source = try file.source()
                group.addTask { try ServedFile.read(source, step: 30_000 + index * 1000) == file.bytes }
            }
            for try await isRight in group { #expect(isRight) }
        }
        let asked = file.ranges.reduce(0) { count, range in
            count + min(range.last ?? .max, 2_999_999) - range.first + 1
        }
        #expect(asked == 3_000_000)
    }

    @Test("From wherever they read: each byte once", arguments: [1, 2, 3] as [UInt64])
    func anywhere(seed: UInt64) async throws {
        let file = try SharedFile(size: 3_000_000)
        defer { file.server.stop() }
        var random = SplitMix64(seed)
        var places: [Int] = []
        for _ in 0..<6 { places.append(Int.random(in: 0..<3_000_000, using: &random)) }
        let first = try file.source()
        for place in places + [0] {
            let source = try file.source()
            let count = Int.random(in: 1...900_000, using: &random)
            let part = try ServedFile.read(source, from: Int64(place), upTo: count)
            #expect(part == Array(file.bytes[place...].prefix(count)), "seed \(seed)")
            _ = try ServedFile.read(first, from: Int64(place), upTo: 1)
        }
        #expect(try ServedFile.read(first) == file.bytes, "seed \(seed)")
        // What was asked for and not waited for is asked for again: how much of it had come is the server's pace.
        #expect(file.server.log.count <= 24, "seed \(seed): \(file.requests)")
    }

    @Test("Who comes when nobody reads any more asks whether it has changed, and fetches nothing")
    func again() throws {
        let file = try SharedFile()
        defer { file.server.stop() }
        for _ in 0..<3 { #expect(try ServedFile.read(try file.source()) == file.bytes) }
        #expect(file.requests.dropFirst() == ["0-0 \"1\"", "0-0 \"1\""])
        #expect(file.server.log.count == 3)
        #expect(try file.source().isLocal == false)
    }

    @Test("All of it is there: it is as a file of one's own")
    func local() throws {
        let file = try SharedFile()
        defer { file.server.stop() }
        let first = try file.source()
        #expect(try ServedFile.read(first) == file.bytes)
        #expect(!first.isLocal)
        let second = try file.source()
        #expect(try ServedFile.read(second, upTo: 1) == [file.bytes[0]])
        #expect(second.isLocal)
        #expect(second.byteCount == 300_000)
    }

    @Test(
        "One that has changed is read whole by who comes then, and who reads the old one goes on with what is there"
    )
    func changed() throws {
        let isNew = Locked(false)
        let other = ServedFile.bytes(200_000, seed: 2)
        let file = try SharedFile { request, answer in
            if isNew.withLock({ $0 }) { answer = .file(other, for: request, tag: "\"2\"") }
        }
        defer { file.server.stop() }
        let old = try file.source()
        #expect(try ServedFile.read(old) == file.bytes)
        isNew.withLock { $0 = true }
        #expect(try ServedFile.read(try file.source()) == other)
        #expect(try ServedFile.read(old) == file.bytes)
        #expect(try ServedFile.read(try file.source()) == other)
    }

    @Test("What has been found to have changed is not what the next one gets")
    func changedInTheMiddle() throws {
        let isNew = Locked(false)
        let other = ServedFile.bytes(3_000_000, seed: 2)
        var file = try SharedFile(size: 3_000_000) { request, answer in
            if isNew.withLock({ $0 }) { answer = .file(other, for: request, tag: "\"2\"") }
        }
        defer { file.server.stop() }
        file.policy.window = 1 << 20
        let old = try file.source()
        #expect(try ServedFile.read(old, upTo: 100_000) == Array(file.bytes.prefix(100_000)))
        isNew.withLock { $0 = true }
        let error = #expect(throws: MediaError.self) { try ServedFile.read(old, from: 2_900_000) }
        #expect(error?.code == .resourceChanged)
        #expect(try ServedFile.read(try file.source()) == other)
    }

    @Test("Parts of two presentations: each byte once; what came before is not counted as coming now")
    func parts() throws {
        let file = try SharedFile()
        defer { file.server.stop() }
        for count in 1...3 {
            let root = try file.source("/list.m3u8")
            _ = try ServedFile.read(root, upTo: 1)
            let part = try root.openReferenced("part.ts", cachePolicy: .everywhere, validatedAfter: 0)
            #expect(try ServedFile.read(part) == file.bytes)
            let again = try root.openReferenced("part.ts", cachePolicy: .everywhere, validatedAfter: 0)
            #expect(try ServedFile.read(again) == file.bytes)
            #expect((again as? SharedHTTPSource)?.receivedBytes == 0)
            #expect((part as? SharedHTTPSource)?.receivedBytes == (count == 1 ? 300_000 : 0))
        }
        let asked = file.server.log.filter { $0.path == "/part.ts" }
        #expect(asked.count(where: { $0.headers["if-none-match"] == nil }) == 1)
        // Each presentation asks about it once.
        #expect(asked.count == 3)
    }

    @Test("A part that is new since a moment is asked about, also where it was read before")
    func partsSince() throws {
        let isNew = Locked(false)
        let other = ServedFile.bytes(200_000, seed: 2)
        let file = try SharedFile { request, answer in
            if isNew.withLock({ $0 }) { answer = .file(other, for: request, tag: nil) }
        }
        defer { file.server.stop() }
        let root = try file.source("/list.m3u8")
        _ = try ServedFile.read(root, upTo: 1)
        let old = try root.openReferenced("part.ts", cachePolicy: .inMemory, since: 1)
        #expect(try ServedFile.read(old) == file.bytes)
        isNew.withLock { $0 = true }
        #expect(try ServedFile.read(try root.openReferenced("part.ts", cachePolicy: .inMemory, since: 1)) == file.bytes)
        let new = try root.openReferenced("part.ts", cachePolicy: .inMemory, since: NetworkTimer.now)
        #expect(try ServedFile.read(new) == other)
    }

    @Test(
        "What is fetched ahead of who reads a part is bounded as for a file, and what nobody reads is not fetched"
    )
    func partsAhead() throws {
        let file = try SharedFile(size: 3_000_000)
        defer { file.server.stop() }
        let root = try file.source("/list.m3u8")
        root.limitReadAhead(to: 400 << 10)
        let part = try root.openReferenced("part.ts", cachePolicy: .everywhere, validatedAfter: 0)
        _ = try ServedFile.read(part, upTo: 1000)
        let ranges = file.server.log.filter { $0.path == "/part.ts" }.compactMap(\.range)
        #expect(ranges.map { $0.first } == [0])
        #expect(ranges.first?.last == (100 << 10) - 1)
    }

    @Test("Other headers, credentials and files are other resources")
    func keys() throws {
        var file = try SharedFile()
        defer { file.server.stop() }
        let keep = try file.source()
        _ = try ServedFile.read(keep)
        file.options.headers = [NetworkOptions.Header(name: "Accept-Language", value: "de")]
        _ = try ServedFile.read(try file.source())
        _ = try ServedFile.read(try file.source("/film.mp4?b"))
        #expect(file.server.log.count == 3)
        #expect(file.requests.allSatisfy { !$0.contains("\"") })
    }

    @Test("A server that sends its bytes once sends them to each reader")
    func onceOnly() async throws {
        let film = ServedFile.bytes(300_000)
        let file = try SharedFile { _, answer in
            answer = .whole(film, tag: nil)
            answer.set("Content-Length", nil)
            answer.isChunked = true
        }
        defer { file.server.stop() }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                let source = try file.source()
                group.addTask { try ServedFile.read(source) == film }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test("What has come does not become less where an asset goes on with a connection of its own")
    func receivedBytes() throws {
        let film = ServedFile.bytes(300_000)
        let file = try SharedFile { request, answer in
            answer = .whole(film, tag: nil)
            answer.set("Content-Length", nil)
            answer.isChunked = true
            if request.number == 1 { answer.hang = .beforeHead }
        }
        defer { file.server.stop() }
        let sources = try (0..<2).map { _ in try file.source() }
        let contexts = sources.map { _ in ReadContext() }
        let wakes = contexts.map(\.wakeCount)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { buffer.deallocate() }
        for (source, context) in zip(sources, contexts) {
            #expect(throws: MediaError.self) { try source.read(at: 0, into: buffer, context: context) }
        }
        file.server.release()
        for (index, context) in contexts.enumerated() { context.wait(after: wakes[index]) }
        #expect(try sources[0].read(at: 0, into: buffer, context: contexts[0]) > 0)
        let before = sources[1].receivedBytes
        #expect(before > 0)
        // The first one has claimed the connection.
        let shared = try #require(sources[1].source)
        #expect(throws: MediaError.self) { try sources[1].read(at: 0, into: buffer, context: contexts[1]) }
        #expect(sources[1].source !== shared)
        #expect(sources[1].receivedBytes >= before)
        #expect(try ServedFile.read(sources[1]) == film)
    }

    @Test("A question that nobody answers is called off when nobody waits for it any more")
    func askedInVain() async throws {
        let file = try SharedFile { request, answer in
            if request.number == 2 { answer.hang = .beforeHead }
        }
        defer { file.server.stop() }
        _ = try ServedFile.read(try file.source())
        let source = try file.source()
        let context = ReadContext()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
        defer { buffer.deallocate() }
        let error = #expect(throws: MediaError.self) {
            try source.read(at: 0, into: buffer, context: context)
        }
        #expect(error?.code == .notReady)
        while file.server.log.count < 2 { await Task.yield() }
        context.cancel()
        // Its connection is closed; the asset is still held, and reads when it is asked to.
        while file.server.openConnections > 0 { await Task.yield() }
        #expect(try ServedFile.read(source) == file.bytes)
        #expect(file.requests.last == "0-0 \"1\"")
    }

    @Test("Resources that nobody reads take no more memory than there is for them")
    func memory() throws {
        let file = try SharedFile(size: 6_000_000)
        defer { file.server.stop() }
        for index in 0..<8 { #expect(try ServedFile.read(try file.source("/\(index)")) == file.bytes) }
        // The last ones are there.
        let before = file.server.log.count
        #expect(try ServedFile.read(try file.source("/7")) == file.bytes)
        #expect(file.server.log.count == before + 1)
        #expect(try ServedFile.read(try file.source("/0")) == file.bytes)
        #expect(file.server.log.count > before + 2)
    }

    @Test(
        "Beyond the limit of all, each gives back what it has more than others, but not what is needed next"
    )
    func trimmed() throws {
        let file = try ServedFile(size: 3_000_000)
        defer { file.server.stop() }
        #expect(try file.read() == file.bytes)
        #expect(file.source.storedByteCount >= 3_000_000)
        file.source.trim(to: 1 << 20)
        #expect(file.source.storedByteCount == 1 << 20)
        #expect(try file.read() == file.bytes)
    }
}
