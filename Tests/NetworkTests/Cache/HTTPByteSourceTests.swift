import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// A file on a server that one or several simulated processes open repeatedly.
struct SharedFile {
    let bytes: [UInt8]
    let server: FaultServer
    var options = NetworkOptions(timeout: .seconds(5))
    var policy = ServedFile.policy
    /// The memory of the current process.
    private var pool = HTTPResourcePool()

    init(
        size: Int = 300_000,
        change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void = { _, _ in }
    ) throws {
        bytes = ServedFile.bytes(size)
        server = try FaultServer(bytes, change: change)
        policy.lingerTime = 0
    }

    func source(_ path: String = "/film.mp4") throws -> HTTPByteSource {
        try HTTPByteSource(url: server.url(path), options: options, policy: policy, pool)
    }

    /// Drops everything in memory.
    mutating func simulateNewProcess() { pool = HTTPResourcePool() }

    /// Drops resources without readers from memory.
    func evictAllUnused() { pool.evictUnused { false } }

    /// Closes the cache files of resources without readers.
    func closeUnusedFiles() { pool.closeUnusedFiles() }

    /// Writes all received bytes to the disk, however slow it is.
    func flush() async {
        pool.flush()
        await options.cache?.folder.flush(within: 60)
    }

    /// Returns the number of bytes that the server has sent for all requests so far. A client may have received a
    /// response before the server has counted it.
    func sentBytes() async -> Int {
        while server.openRequests > 0 { await Task.yield() }
        return server.bodyBytes
    }

    /// The ranges of requests that are not revalidations.
    var ranges: [(first: Int, last: Int?)] {
        server.log.filter { $0.headers["if-none-match"] == nil }.compactMap(\.range)
    }

    /// The range and the conditions of each request.
    var requests: [String] {
        server.log.map { request in
            let range = request.range.map { "\($0.first)-\($0.last.map { String($0) } ?? "")" } ?? "-"
            let conditions = ["if-none-match", "if-modified-since"].compactMap { request.headers[$0] }
            return ([range] + conditions).joined(separator: " ")
        }
    }
}

@Suite("Shared HTTP source", .timeLimit(.minutes(10)))
struct HTTPByteSourceTests {
    @Test("A program reads a URL through the shared resources, and other URLs are refused")
    func publicSource() throws {
        let bytes = ServedFile.bytes(100_000)
        let server = try FaultServer(bytes)
        defer { server.stop() }
        let url = try #require(URL(string: server.url()))
        for _ in 0..<2 {
            let source = try HTTPByteSource(url: url)
            #expect(try ServedFile.read(source) == bytes)
            #expect(source.byteCount == 100_000)
        }
        #expect(server.log.count(where: { $0.headers["if-none-match"] == nil }) == 1)
        for other in ["file:///etc/passwd", "film.mp4"] {
            let url = try #require(URL(string: other))
            let error = try #require(throws: MediaError.self) { try HTTPByteSource(url: url) }
            #expect(error.code == .invalidArgument)
        }
    }

    @Test("Twenty concurrent readers fetch each byte once")
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

    @Test("Readers at random offsets fetch each byte about once", arguments: [1, 2, 3] as [UInt64])
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
        // Requests that were cancelled are repeated for what had not arrived. How many there are depends on the timing
        // of the server. A request that is shortened may receive a few bytes more.
        let received = try #require(first.source).receivedBytes
        #expect(received >= 3_000_000 && received <= 4_000_000, "seed \(seed): \(received), \(file.requests)")
    }

    @Test("A source that opens a resource without readers revalidates it and fetches nothing")
    func again() throws {
        let file = try SharedFile()
        defer { file.server.stop() }
        for _ in 0..<3 { #expect(try ServedFile.read(try file.source()) == file.bytes) }
        #expect(file.requests.dropFirst() == ["0-0 \"1\"", "0-0 \"1\""])
        #expect(file.server.log.count == 3)
        #expect(try file.source().isLocal == false)
    }

    @Test("A resource that is completely in memory is local")
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
        "New sources read a changed resource, and old ones continue with the bytes in memory"
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

    @Test("A resource that changes while it is read fails there, and new sources read the new one")
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

    @Test("Presentations share the bytes of a segment, and count only what they have received")
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
            #expect((again as? HTTPByteSource)?.receivedBytes == 0)
            #expect((part as? HTTPByteSource)?.receivedBytes == (count == 1 ? 300_000 : 0))
        }
        let asked = file.server.log.filter { $0.path == "/part.ts" }
        #expect(asked.count(where: { $0.headers["if-none-match"] == nil }) == 1)
        // Each presentation revalidates the segment once.
        #expect(asked.count == 3)
    }

    @Test("A segment must be validated after the required time, even if it was read before")
    func partsSince() throws {
        let isNew = Locked(false)
        let other = ServedFile.bytes(200_000, seed: 2)
        let file = try SharedFile { request, answer in
            if isNew.withLock({ $0 }) { answer = .file(other, for: request, tag: nil) }
        }
        defer { file.server.stop() }
        let root = try file.source("/list.m3u8")
        _ = try ServedFile.read(root, upTo: 1)
        let old = try root.openReferenced("part.ts", cachePolicy: .inMemory, validatedAfter: 1)
        #expect(try ServedFile.read(old) == file.bytes)
        isNew.withLock { $0 = true }
        #expect(
            try ServedFile.read(try root.openReferenced("part.ts", cachePolicy: .inMemory, validatedAfter: 1))
                == file.bytes
        )
        let new = try root.openReferenced("part.ts", cachePolicy: .inMemory, validatedAfter: root.now)
        #expect(try ServedFile.read(new) == other)
    }

    @Test(
        "The read-ahead limit applies to the segments of a playlist"
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

    @Test("Different headers and URLs are different resources")
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

    @Test("A server that sends its bytes only once sends them to each reader separately")
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

    @Test("A resource that is sent only once is requested again by a reader that follows the others")
    func onceOnlyAgain() throws {
        let time = NetworkTime()
        var file = try SharedFile { request, answer in
            answer = .whole(ServedFile.bytes(300_000, seed: UInt64(request.number)), tag: nil)
            answer.isChunked = true
            answer.hang = .inBody(50_000)
        }
        defer { file.server.stop() }
        file.policy.loop = time.loop
        let source = try file.source()
        for number in 1...3 {
            let expected = Array(ServedFile.bytes(300_000, seed: UInt64(number)).prefix(10_000))
            #expect(try ServedFile.read(source, upTo: 10_000) == expected)
            #expect(file.server.log.count == number)
            // Requests without readers end.
            try time.advance(seconds: 1)
        }
    }

    @Test("A live stream is requested again by the next reader, unless only its first bytes have arrived")
    func liveStreamAgain() throws {
        for (firstWindow, numbers) in [(5000, [1, 2]), (100_000, [1, 1])] as [(Int64, [Int])] {
            var file = try SharedFile { request, answer in
                answer = .whole(ServedFile.bytes(300_000, seed: UInt64(request.number)), tag: nil)
                answer.version = "ICY"
                answer.set("Content-Length", nil)
                answer.hang = .inBody(50_000)
            }
            defer { file.server.stop() }
            (file.policy.firstWindow, file.policy.lingerTime) = (firstWindow, 60_000_000_000)
            let source = try file.source()
            for number in numbers {
                let expected = Array(ServedFile.bytes(300_000, seed: UInt64(number)).prefix(10_000))
                #expect(try ServedFile.read(source, upTo: 10_000) == expected)
                #expect(file.server.log.count == number)
            }
        }
    }

    @Test("The number of received bytes does not decrease when a source gets a connection of its own")
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
        // The first source has claimed the connection.
        let shared = try #require(sources[1].source)
        #expect(throws: MediaError.self) { try sources[1].read(at: 0, into: buffer, context: contexts[1]) }
        #expect(sources[1].source !== shared)
        #expect(sources[1].receivedBytes >= before)
        #expect(try ServedFile.read(sources[1]) == film)
    }

    @Test("A revalidation is cancelled when no reader waits for it any more")
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
        // The connection is closed. The source is still open and can read again.
        while file.server.openConnections > 0 { await Task.yield() }
        #expect(try ServedFile.read(source) == file.bytes)
        #expect(file.requests.last == "0-0 \"1\"")
    }

    @Test("Resources without readers stay within their memory limit")
    func memory() throws {
        let file = try SharedFile(size: 6_000_000)
        defer { file.server.stop() }
        for index in 0..<8 { #expect(try ServedFile.read(try file.source("/\(index)")) == file.bytes) }
        // The most recently read resources are still in memory.
        let before = file.server.log.count
        #expect(try ServedFile.read(try file.source("/7")) == file.bytes)
        #expect(file.server.log.count == before + 1)
        #expect(try ServedFile.read(try file.source("/0")) == file.bytes)
        #expect(file.server.log.count > before + 2)
    }

    @Test(
        "Trimming frees memory down to the limit, and the bytes are fetched again"
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
