import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// Failures between the client and a file, and their results. `docs/faults.md` refers to these tests.
@Suite("Server and connection failures", .timeLimit(.minutes(10)))
struct FaultTests {
    typealias Answer = FaultServer.Answer

    // MARK: Statuses

    @Test(
        "A permanent error status fails at once",
        arguments: [
            (401, MediaError.Code.permissionDenied), (403, .permissionDenied), (404, .notFound),
            (410, .notFound), (418, .io),
        ]
    )
    func refusals(status: Int, code: MediaError.Code) throws {
        let error = try ServedFile.fails(code, requests: 1) { $1 = Answer(status) }
        #expect(error.message.contains("\(status)"))
    }

    @Test("A temporary error status is retried", arguments: [408, 425, 429, 500, 502, 503, 504])
    func passing(status: Int) throws {
        let file = try ServedFile.recovers { if $0.number == 1 { $1 = Answer(status) } }
        #expect(file.server.log.count == 2)
    }

    @Test(
        "A temporary error status that persists fails after three attempts",
        arguments: [(408, MediaError.Code.timedOut), (429, .io), (500, .io), (503, .io)]
    )
    func lasting(status: Int, code: MediaError.Code) throws {
        try ServedFile.fails(code, requests: 3) { $1 = Answer(status) }
    }

    @Test("Retry-After is respected, and a delay that is too long is an error")
    func retryAfter() throws {
        let file = try ServedFile.recovers {
            if $0.number == 1 { $1 = Answer(503, headers: [("Retry-After", "0")]) }
        }
        #expect(file.server.log.count == 2)
        let error = try ServedFile.fails(.io, requests: 1) {
            $1 = Answer(503, headers: [("Retry-After", "3600")])
        }
        #expect(error.message.contains("3600 seconds"))
    }

    @Test("416 for the first byte means an empty file")
    func emptyFile() throws {
        let file = try ServedFile(size: 0)
        defer { file.server.stop() }
        #expect(try file.read().isEmpty)
        #expect(file.source.byteCount == 0)
    }

    @Test("416 for a range that the file contains is an error")
    func refusedPart() throws {
        try ServedFile.fails(.io, requests: 2, more: 1) {
            if $0.number == 1 {
                $1.cut = 100_000
                $1.end = .close
            } else {
                $1 = Answer(416)
            }
        }
    }

    @Test("416 for the first byte of a file that has been read is an error, and not its end")
    func refusedStart() throws {
        let file = try ServedFile { if $0.number > 1 { $1 = Answer(416) } }
        defer { file.server.stop() }
        #expect(try file.read(upTo: 1) == [file.bytes[0]])
        // The first byte does not stay in memory.
        file.source.trim(to: 0)
        let error = try #require(throws: MediaError.self) { try file.read(upTo: 1) }
        #expect(error.code == .io)
        #expect(file.source.byteCount == 300_000)
    }

    // MARK: Connections

    @Test(
        "After a connection ends, fetching continues at the same byte",
        arguments: [Answer.End.close, .reset]
    )
    func dropped(end: Answer.End) throws {
        let file = try ServedFile.recovers {
            if $0.number <= 3 {
                $1.cut = min(50_000, $1.body.count)
                $1.end = end
            }
        }
        #expect(file.server.log.count == 4)
        // A reset discards bytes that had been received, which are sent again.
        if end == .close {
            #expect(
                file.ranges.compactMap { $0.split(separator: "-").first } == [
                    "0", "50000", "100000", "150000",
                ]
            )
        }
    }

    @Test("A connection that is reset between attempts is retried")
    func resetBetweenTries() throws {
        let file = try ServedFile.recovers {
            if $0.number == 1 { $1.cut = 50_000 }
            if $0.number == 2 { $1.closesWithoutResponse = true }
            if $0.number <= 2 { $1.end = .reset }
        }
        #expect(file.server.log.count == 3)
    }

    @Test("A body that always ends at the same byte is truncated")
    func truncated() throws {
        let error = try ServedFile.fails(.truncated, requests: 4) {
            $1.cut = $0.number == 1 ? 100_000 : 0
            $1.end = .close
        }
        #expect(error.message.contains("100000 of 300000 bytes"))
    }

    @Test("A connection that closes without a response is retried, up to three attempts")
    func nothing() throws {
        try ServedFile.recovers { if $0.number == 1 { $1.closesWithoutResponse = true } }
        try ServedFile.fails(.io, requests: 3) { $1.closesWithoutResponse = true }
    }

    @Test("A response that is not HTTP fails after three attempts")
    func noHTTP() throws {
        try ServedFile.fails(.io, requests: 3) {
            $1.omitsHeaders = true
            $1.end = .close
        }
    }

    /// A file whose timeouts pass only when the test moves the time, however late a response is on a busy machine.
    private static func timed(
        _ time: NetworkTime,
        change: @escaping @Sendable (FaultServer.Request, inout Answer) -> Void
    ) throws -> ServedFile {
        var policy = ServedFile.policy
        policy.loop = time.loop
        return try ServedFile(timeout: .seconds(60), policy: policy, change: change)
    }

    /// Waits until a condition holds. Throws the error if no more attempts are made.
    private static func wait(for source: HTTPRepresentation, until condition: () throws -> Bool) async throws
    {
        while try !condition() {
            if let failure = source.state.withLock({ $0.lastFailure }) { throw failure }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Moves the time until the only request in progress has timed out, and the delay before the next one has passed.
    private static func timeOut(_ source: HTTPRepresentation, _ time: NetworkTime) throws {
        func transfer() -> Transfer? { source.state.withLock { $0.fetches.values.first?.transfer } }
        let hanging = try #require(transfer())
        // Bytes that arrive meanwhile begin the timeout again.
        while transfer() === hanging { try time.advance(seconds: 60) }
        try time.advance(seconds: 1)
    }

    @Test(
        "A response that hangs once is retried after the timeout",
        arguments: [
            Answer.Hang.beforeHead, .beforeBody, .inBody(0), .inBody(70_000),
        ]
    )
    func hangs(hang: Answer.Hang) async throws {
        let time = NetworkTime()
        let file = try Self.timed(time) { if $0.number == 1 { $1.hang = hang } }
        defer { file.server.stop() }
        let context = ReadContext()
        defer { context.cancel() }
        #expect(ServedFile.readByte(file.source, context)?.code == .notReady)
        try await Self.wait(for: file.source) { !file.server.log.isEmpty }
        if hang == .inBody(70_000) {
            try await Self.wait(for: file.source) { file.source.receivedBytes >= 70_000 }
        }
        try Self.timeOut(file.source, time)
        // Another reader would begin a request of its own if this one had failed.
        #expect(file.source.state.withLock { $0.lastFailure } == nil)
        #expect(try file.read() == file.bytes)
        #expect(file.server.log.count == 2)
        if hang == .inBody(70_000) { #expect(file.ranges.last?.hasPrefix("70000-") == true) }
    }

    @Test(
        "A response that always hangs fails after three attempts",
        arguments: [Answer.Hang.beforeHead, .beforeBody, .inBody(0)]
    )
    func hangsForEver(hang: Answer.Hang) async throws {
        let time = NetworkTime()
        let file = try Self.timed(time) { $1.hang = hang }
        defer { file.server.stop() }
        let context = ReadContext()
        defer { context.cancel() }
        #expect(ServedFile.readByte(file.source, context)?.code == .notReady)
        for number in 1...3 {
            try await Self.wait(for: file.source) { file.server.log.count >= number }
            try Self.timeOut(file.source, time)
        }
        let error = try #require(ServedFile.readByte(file.source, context))
        #expect(error.code == .timedOut)
        #expect(!error.isRetryable)
        #expect(error.location == file.source.name)
        #expect(file.server.log.count == 3)
        #expect(file.source.fetchCount == 0)
    }

    @Test(
        "A server that accepts no connection or sends no TLS handshake fails with a timeout",
        arguments: ["http", "https"]
    )
    func hangsBefore(scheme: String) async throws {
        let crowd = try CrowdedListener()
        let server = try FaultServer([])
        defer { server.stop() }
        let port = scheme == "http" ? crowd.port : server.port
        let time = NetworkTime()
        var policy = ServedFile.policy
        policy.loop = time.loop
        let source = try HTTPRepresentation(
            url: "\(scheme)://127.0.0.1:\(port)/film.mp4",
            options: NetworkOptions(timeout: .seconds(60)),
            policy: policy
        )
        let context = ReadContext()
        defer { context.cancel() }
        #expect(ServedFile.readByte(source, context)?.code == .notReady)
        for number in 1...3 {
            try await Self.wait(for: source) {
                try scheme == "http" ? crowd.connecting() > 0 : server.connectionCount >= number
            }
            try Self.timeOut(source, time)
        }
        #expect(ServedFile.readByte(source, context)?.code == .timedOut)
        #expect(server.connectionCount == (scheme == "http" ? 0 : 3))
        #expect(source.fetchCount == 0)
    }

    @Test("Progress resets the number of attempts")
    func budget() async throws {
        let time = NetworkTime()
        let file = try Self.timed(time) {
            if $0.number <= 5 { $1.hang = .inBody(20_000) }
        }
        defer { file.server.stop() }
        let context = ReadContext()
        defer { context.cancel() }
        #expect(ServedFile.readByte(file.source, context)?.code == .notReady)
        for number in 1...5 {
            try await Self.wait(for: file.source) { file.source.receivedBytes >= number * 20_000 }
            try Self.timeOut(file.source, time)
        }
        #expect(try file.read() == file.bytes)
        #expect(file.server.log.count == 6)
    }

    @Test("A slow response is received by a single request")
    func slowStart() throws {
        let file = try ServedFile { if $0.number == 1 { $1.hang = .beforeHead } }
        defer { file.server.stop() }
        let context = ReadContext()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { buffer.deallocate() }
        let error = #expect(throws: MediaError.self) {
            try file.source.read(at: 0, into: buffer, context: context)
        }
        #expect(error?.code == .notReady)
        file.server.release()
        #expect(try file.read() == file.bytes)
        #expect(file.server.log.count == 1)
        context.cancel()
    }

    @Test("A port without a listener fails with an I/O error")
    func noServer() throws {
        let file = try ServedFile()
        file.server.stop()
        file.server.waitUntilClosed()
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .io)
        #expect(error?.libraryLog?.isEmpty == false)
    }

    @Test(
        "A server that refuses connections after it has delivered bytes is tried again until the timeout",
        arguments: [true, false],
        [true, false]
    )
    func restarted(comesBack: Bool, isSegment: Bool) throws {
        let time = NetworkTime()
        // The clock runs while the new server is connected to, so that server must not be too slow.
        let timeout: Duration = comesBack ? .seconds(86_400) : .seconds(10)
        var policy = HTTPRepresentation.Policy()
        policy.loop = time.loop
        (policy.window, policy.initialWindow) = (50_000, 50_000)
        let file = try ServedFile(timeout: timeout, policy: policy)
        var source: any ByteSource = file.source
        if isSegment {
            // The server has delivered a playlist, and no byte of the segment.
            let root = try HTTPByteSource(
                url: file.server.url("/list"),
                options: NetworkOptions(timeout: timeout),
                policy: policy,
                HTTPResourcePool()
            )
            _ = try ServedFile.read(root, upTo: 40_000)
            source = try root.openReferenced("film.mp4", cachePolicy: .inMemory, validatedAfter: 0)
        } else {
            _ = try file.read(upTo: 40_000)
        }
        file.server.stop()
        file.server.waitUntilClosed()
        let result = Locked<Result<[UInt8], MediaError>?>(nil)
        // A reader on a thread of its own waits until the bytes are there.
        let reader = Thread { [source] in
            do throws(MediaError) {
                let rest = try ServedFile.read(source, from: 40_000)
                result.withLock { $0 = .success(rest) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }
        reader.start()
        var seconds = 0.0
        var second: FaultServer?
        while result.withLock({ $0 == nil }) {
            // By then more than three attempts have failed.
            if comesBack, seconds > 30, second == nil {
                second = try FaultServer(file.bytes, port: file.server.port)
            }
            try time.advance(seconds: 0.25)
            seconds += 0.25
            sched_yield()
        }
        defer { second?.stop() }
        switch result.withLock({ $0 }) {
        case .success(let rest)?: #expect(comesBack && rest == Array(file.bytes[40_000...]))
        case .failure(let error)?:
            #expect(!comesBack && error.code == .io && seconds >= 10)
        case nil: break
        }
    }

    @Test("An unknown host name is not found")
    func noHost() throws {
        let source = try HTTPRepresentation(url: "http://playhead.invalid/a")
        let error = #expect(throws: MediaError.self) { try ServedFile.read(source) }
        #expect(error?.code == .notFound)
    }

    @Test("A server below the minimum data rate fails with a timeout")
    func trickle() throws {
        var policy = ServedFile.policy
        // No attempt reaches this data rate.
        policy.minimumBytesPerInterval = .max
        // Each attempt ends after this interval; a silence would have to last for minutes to end one earlier.
        policy.rateInterval = 50_000_000
        let file = try ServedFile(timeout: .seconds(120), policy: policy) { $1.isPaced = true }
        defer { file.server.stop() }
        let isOver = Locked(false)
        let feeder = Thread {
            var allowed = 0
            // The file never arrives as a whole, however late a try is ended.
            while allowed < file.bytes.count / 2, !isOver.withLock({ $0 }) {
                guard file.server.bodyBytes >= allowed else {
                    sched_yield()
                    continue
                }
                file.server.gate.allow(1)
                allowed += 1
            }
        }
        feeder.start()
        let error = #expect(throws: MediaError.self) { _ = try file.read() }
        isOver.withLock { $0 = true }
        file.server.gate.open()
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("data rate of the server is too low") == true)
        // A slow reader receives what has arrived after a fetch has failed, and begins another. The server may notice
        // the last request after it has been given up.
        let deadline = ContinuousClock.now + .seconds(60)
        while file.server.log.count < policy.attemptLimit, ContinuousClock.now < deadline { sched_yield() }
        #expect(file.server.log.count >= policy.attemptLimit)
    }
}
