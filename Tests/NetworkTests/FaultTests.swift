import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// What goes wrong on the way to a file, and what becomes of it: `docs/faults.md` names these tests.
@Suite("Network: faults of servers", .timeLimit(.minutes(1)))
struct FaultTests {
    typealias Answer = FaultServer.Answer

    // MARK: Statuses

    @Test(
        "For ever: told at once, in words",
        arguments: [
            (401, MediaError.Code.permissionDenied), (403, .permissionDenied), (404, .notFound),
            (410, .notFound), (418, .io),
        ]
    )
    func refusals(status: Int, code: MediaError.Code) throws {
        let error = try ServedFile.fails(code, requests: 1) { $1 = Answer(status) }
        #expect(error.message.contains("\(status)"))
    }

    @Test("Once: tried again", arguments: [408, 425, 429, 500, 502, 503, 504])
    func passing(status: Int) throws {
        let file = try ServedFile.recovers { if $0.number == 1 { $1 = Answer(status) } }
        #expect(file.server.log.count == 2)
    }

    @Test(
        "For ever: three tries",
        arguments: [(408, MediaError.Code.timedOut), (429, .io), (500, .io), (503, .io)]
    )
    func lasting(status: Int, code: MediaError.Code) throws {
        try ServedFile.fails(code, requests: 3) { $1 = Answer(status) }
    }

    @Test("Retry-After is obeyed, and one that is too long is told")
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

    @Test("416 for the first byte: there is nothing in it")
    func emptyFile() throws {
        let file = try ServedFile(size: 0)
        defer { file.server.stop() }
        #expect(try file.read().isEmpty)
        #expect(file.source.byteCount == 0)
    }

    @Test("416 in the middle of a file that is that long")
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

    // MARK: Connections

    @Test(
        "A connection that ends goes on at the byte that was reached",
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
        // What a reset takes back with it is sent again.
        if end == .close {
            #expect(
                file.ranges.compactMap { $0.split(separator: "-").first } == [
                    "0", "50000", "100000", "150000",
                ]
            )
        }
    }

    @Test("It is reset again before the next try is answered")
    func resetBetweenTries() throws {
        let file = try ServedFile.recovers {
            if $0.number == 1 { $1.cut = 50_000 }
            if $0.number == 2 { $1.isNothing = true }
            if $0.number <= 2 { $1.end = .reset }
        }
        #expect(file.server.log.count == 3)
    }

    @Test("It ends again and again at one place")
    func truncated() throws {
        let error = try ServedFile.fails(.truncated, requests: 4) {
            $1.cut = $0.number == 1 ? 100_000 : 0
            $1.end = .close
        }
        #expect(error.message.contains("100000 of 300000 bytes"))
    }

    @Test("It ends without an answer: once, and for ever")
    func nothing() throws {
        try ServedFile.recovers { if $0.number == 1 { $1.isNothing = true } }
        try ServedFile.fails(.io, requests: 3) { $1.isNothing = true }
    }

    @Test("What comes is no HTTP")
    func noHTTP() throws {
        try ServedFile.fails(.io, requests: 3) {
            $1.isHeadless = true
            $1.end = .close
        }
    }

    @Test(
        "It hangs once: tried again when time is up",
        arguments: [
            Answer.Hang.beforeHead, .beforeBody, .inBody(0), .inBody(70_000),
        ]
    )
    func hangs(hang: Answer.Hang) throws {
        let file = try ServedFile.recovers(0.2) { if $0.number == 1 { $1.hang = hang } }
        #expect(file.server.log.count == 2)
        if hang == .inBody(70_000) { #expect(file.ranges.last?.hasPrefix("70000-") == true) }
    }

    @Test("It hangs for ever: three tries", arguments: [Answer.Hang.beforeHead, .beforeBody, .inBody(0)])
    func hangsForEver(hang: Answer.Hang) throws {
        try ServedFile.fails(.timedOut, requests: 3, 0.2) { $1.hang = hang }
    }

    @Test(
        "It never takes the connection, or never says a word of TLS: three tries",
        arguments: ["http", "https"]
    )
    func hangsBefore(scheme: String) throws {
        let crowd = try CrowdedListener()
        let server = try FaultServer([])
        defer { server.stop() }
        let port = scheme == "http" ? crowd.port : server.port
        let source = try HTTPByteSource(
            url: "\(scheme)://127.0.0.1:\(port)/film.mp4",
            options: NetworkOptions(timeout: 0.2),
            policy: ServedFile.policy
        )
        let error = try #require(throws: MediaError.self) { try ServedFile.read(source) }
        #expect(error.code == .timedOut)
        #expect(server.connectionCount == (scheme == "http" ? 0 : 3))
        #expect(source.fetchCount == 0)
    }

    @Test("Each hang that brought something begins the count of tries anew")
    func budget() throws {
        let file = try ServedFile.recovers(0.2) { if $0.number <= 5 { $1.hang = .inBody(20_000) } }
        #expect(file.server.log.count == 6)
    }

    @Test("A slow start is waited for")
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

    @Test("Nobody listens there")
    func noServer() throws {
        let file = try ServedFile()
        file.server.stop()
        file.server.waitUntilClosed()
        let error = #expect(throws: MediaError.self) { try file.read() }
        #expect(error?.code == .io)
        #expect(error?.libraryLog?.isEmpty == false)
    }

    @Test("There is no such host")
    func noHost() throws {
        let source = try HTTPByteSource(url: "http://playhead.invalid/a")
        let error = #expect(throws: MediaError.self) { try ServedFile.read(source) }
        #expect(error?.code == .notFound)
    }

    @Test("It sends a byte now and then, for ever")
    func trickle() throws {
        var policy = ServedFile.policy
        // No try brings so much.
        policy.minimumRate = .max
        // Long enough that a feeder on a busy machine is never silent for so long: a try that ends so has brought something. The
        // file is so large that it does not come whole before that.
        let file = try ServedFile(size: 40_000_000, timeout: 0.3, policy: policy) { $1.isPaced = true }
        defer { file.server.stop() }
        let isOver = Locked(false)
        let feeder = Thread {
            var allowed = 0
            while !isOver.withLock({ $0 }) {
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
    }
}
