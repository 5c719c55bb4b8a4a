import MediaCore
import TestSupport
import Testing

@testable import Network

/// Tests which requests send cookies that a server has set.
@Suite("Cookies", .timeLimit(.minutes(10)))
struct CookieTests {
    typealias Answer = FaultServer.Answer

    private static func server(_ name: String, host: UInt8 = 1) throws -> FaultServer {
        try FaultServer(ServedFile.bytes(100_000), host: host) { request, answer in
            answer.headers.append(("Set-Cookie", "\(name)=\(request.number); Path=/"))
            // A second request is needed.
            answer.cut = min(answer.body.count, 40_000)
            answer.end = .close
        }
    }

    private func source(_ url: String, _ options: NetworkOptions = NetworkOptions()) throws
        -> HTTPRepresentation
    {
        try HTTPRepresentation(url: url, options: options, policy: ServedFile.policy)
    }

    @Test("The newest cookies are sent in one header field with those of the application")
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
        "A redirect to another port of the same host sends no cookies"
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
        // A retry begins with the original URL.
        #expect(first.log.map { $0.headers["cookie"] } == [nil, "first=1", "first=1"])
        #expect(other.log.map { $0.headers["cookie"] } == [nil, "other=1", "other=2"])
    }

    @Test("Requests for referenced resources send the cookies of the same origin")
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

    @Test("Assets have separate cookies unless they share a store")
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
