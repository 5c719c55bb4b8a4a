import MediaCore
import TestSupport
import Testing

@testable import Network

/// What servers ask to be told again, and who is told.
@Suite("Network: cookies", .timeLimit(.minutes(1)))
struct CookieTests {
    typealias Answer = FaultServer.Answer

    private static func server(_ name: String, host: UInt8 = 1) throws -> FaultServer {
        try FaultServer(ServedFile.bytes(100_000), host: host) { request, answer in
            answer.headers.append(("Set-Cookie", "\(name)=\(request.number); Path=/"))
            // So that it is asked again.
            answer.cut = min(answer.body.count, 40_000)
            answer.end = .close
        }
    }

    private func source(_ url: String, _ options: NetworkOptions = NetworkOptions()) throws -> HTTPByteSource
    {
        try HTTPByteSource(url: url, options: options, policy: ServedFile.policy)
    }

    @Test("What a server has set comes back, the newest, in one header with one's own")
    func kept() throws {
        let server = try Self.server("session")
        defer { server.stop() }
        let own = [NetworkOptions.Header(name: "Cookie", value: "own=1")]
        let source = try source(server.url(), NetworkOptions(headers: own))
        #expect(try ServedFile.read(source) == ServedFile.bytes(100_000))
        #expect(
            server.log.map { $0.headers["cookie"] } == [
                "own=1", "session=1; own=1", "session=2; own=1",
            ]
        )
    }

    @Test(
        "Another port of the same host is another server: a redirect takes nothing there"
    )
    func redirected() throws {
        let other = try Self.server("other")
        defer { other.stop() }
        let link = other.url()
        let first = try FaultServer { _ in
            Answer(302, headers: [("Location", link), ("Set-Cookie", "first=1; Path=/")])
        }
        defer { first.stop() }
        let source = try source(first.url())
        #expect(try ServedFile.read(source) == ServedFile.bytes(100_000))
        // A connection that ends is taken up where the URL leads to.
        #expect(first.log.map { $0.headers["cookie"] } == [nil, "first=1", "first=1"])
        #expect(other.log.map { $0.headers["cookie"] } == [nil, "other=1", "other=2"])
    }

    @Test("What a playlist refers to has them as well, at the same origin")
    func referred() throws {
        let server = try Self.server("session")
        defer { server.stop() }
        let other = try Self.server("other")
        defer { other.stop() }
        let source = try source(server.url("/list.m3u8"))
        _ = try ServedFile.read(source, upTo: 1)
        _ = try ServedFile.read(try source.openReferenced("segment.ts"), upTo: 1)
        _ = try ServedFile.read(try source.openReferenced(other.url("/key")), upTo: 1)
        let segment = server.log.first { $0.path == "/segment.ts" }
        #expect(segment?.headers["cookie"]?.hasPrefix("session=") == true)
        #expect(other.log.first?.headers["cookie"] == nil)
    }

    @Test("Each asset is a visitor of its own, unless they are given one store")
    func assets() throws {
        for store in [nil, CookieStore()] {
            let server = try Self.server("session")
            defer { server.stop() }
            for path in ["/one", "/two"] {
                let source = try source(server.url(path), NetworkOptions(cookies: store))
                _ = try ServedFile.read(source, upTo: 1)
            }
            let second = server.log.first { $0.path == "/two" }
            #expect((second?.headers["cookie"] != nil) == (store != nil))
        }
    }
}
