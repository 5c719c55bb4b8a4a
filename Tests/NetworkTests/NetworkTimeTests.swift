import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// Tests durations of the network with a clock that the test moves, so that no test waits for them.
@Suite("Durations of the network", .timeLimit(.minutes(10)))
struct NetworkTimeTests {
    private let time = NetworkTime()

    private func shared(
        _ change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void = { _, _ in }
    ) throws -> SharedFile {
        var file = try SharedFile(change: change)
        file.policy.loop = time.loop
        return file
    }

    /// Returns a reader that has read the first byte, or waits for it, and stays registered.
    private func reader(_ source: any ByteSource, waits: Bool = false) throws -> ReadContext {
        let context = ReadContext()
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        if waits {
            #expect(throws: MediaError.self) { try source.read(at: 0, into: byte, context: context) }
        } else {
            _ = try context.retryUntilReady { () throws(MediaError) in
                try source.readIfAvailable(at: 0, into: byte, context: context)
            }
        }
        return context
    }

    @Test("A resource that is being read is revalidated for others after five seconds")
    func freshness() throws {
        let file = try shared()
        defer { file.server.stop() }
        let first = try file.source()
        #expect(try ServedFile.read(first) == file.bytes)
        let context = try reader(first)
        defer { context.cancel() }
        try time.advance(seconds: 4.999)
        #expect(try ServedFile.read(try file.source()) == file.bytes)
        #expect(file.server.log.count == 1)
        try time.advance(seconds: 0.001)
        #expect(try ServedFile.read(try file.source()) == file.bytes)
        #expect(file.requests.last == "0-0 \"1\"")
        #expect(file.server.log.count == 2)
    }

    @Test("An unreachable origin is asked again after a minute")
    func unreachable() throws {
        let isDown = Locked(false)
        let file = try shared { request, answer in
            if request.path != "/list.m3u8", isDown.withLock({ $0 }) { answer = FaultServer.Answer(503) }
        }
        defer { file.server.stop() }
        let root = try file.source("/list.m3u8")
        func read(_ name: String) throws {
            let part = try root.openReferenced(name, cachePolicy: .everywhere, validatedAfter: .max)
            #expect(try ServedFile.read(part) == file.bytes)
        }
        for name in ["/a", "/b", "/c"] { try read(name) }
        let count = file.server.log.count
        isDown.withLock { $0 = true }
        try read("/a")
        #expect(file.server.log.count == count + 1)
        try time.advance(seconds: 59.999)
        try read("/b")
        #expect(file.server.log.count == count + 1)
        try time.advance(seconds: 0.001)
        try read("/c")
        #expect(file.server.log.count == count + 2)
    }

    @Test("Requests continue for 150 ms after the last reader has left")
    func linger() async throws {
        var policy = HTTPRepresentation.Policy()
        policy.loop = time.loop
        let file = try ServedFile(policy: policy) { $1.hang = .inBody(100) }
        defer { file.server.stop() }
        let context = try reader(file.source)
        context.cancel()
        try time.advance(seconds: 0.149)
        #expect(file.source.fetchCount == 1)
        #expect(file.server.openConnections == 1)
        try time.advance(seconds: 0.001)
        #expect(file.source.fetchCount == 0)
        while file.server.openConnections > 0 { await Task.yield() }
    }

    @Test("A server that sends less than 1 KB in twice the timeout is asked again")
    func minimumRate() async throws {
        var policy = HTTPRepresentation.Policy()
        policy.loop = time.loop
        policy.rateInterval = 8_000_000_000
        let file = try ServedFile(timeout: .seconds(10), policy: policy) { request, answer in
            if request.number == 1 { answer.hang = .inBody(500) }
        }
        defer { file.server.stop() }
        let context = try reader(file.source)
        while file.source.receivedBytes < 500 { await Task.yield() }
        try time.advance(seconds: 7.999)
        #expect(file.server.log.count == 1)
        try time.advance(seconds: 0.001)
        // The attempt made no progress, so the next one follows after a delay.
        try time.advance(seconds: 0.249)
        #expect(file.server.log.count == 1)
        try time.advance(seconds: 0.001)
        #expect(try ServedFile.read(file.source) == file.bytes)
        #expect(file.ranges.last?.hasPrefix("500-") == true)
        #expect(file.server.log.count == 2)
        context.cancel()
    }

    @Test(
        "Retry-After is respected, up to 30 seconds; a date is compared with the server's clock",
        arguments: [
            [("Retry-After", "30")],
            [("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), ("Date", "Fri, 31 Dec 1999 23:59:29 GMT")],
        ]
    )
    func retryAfter(_ headers: [(String, String)]) async throws {
        var policy = HTTPRepresentation.Policy()
        policy.loop = time.loop
        let file = try ServedFile(timeout: .seconds(86_400), policy: policy) { request, answer in
            guard request.number == 1 else { return }
            answer = FaultServer.Answer(503, headers: headers)
            answer.end = .close
        }
        defer { file.server.stop() }
        let context = try reader(file.source, waits: true)
        defer { context.cancel() }
        // The delay begins when the source has evaluated the response.
        while file.source.state.withLock({ $0.fetches.values.first?.transfer != nil }) { await Task.yield() }
        try time.advance(seconds: 29.999)
        #expect(file.server.log.count == 1)
        try time.advance(seconds: 0.001)
        #expect(try ServedFile.read(file.source) == file.bytes)
        #expect(file.server.log.count == 2)
    }
}
