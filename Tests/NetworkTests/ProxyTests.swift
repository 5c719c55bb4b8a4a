import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// Tests what a proxy receives, and that it does not bypass the checks of private addresses.
@Suite("Proxy", .timeLimit(.minutes(10)))
struct ProxyTests {
    typealias Answer = FaultServer.Answer
    private static let headers = [("X-Key", "k"), ("Cookie", "c=1")].map {
        NetworkOptions.Header(name: $0, value: $1)
    }

    /// Returns a source that uses a proxy. The fake proxy answers requests by itself.
    private func source(_ url: String, _ proxy: FaultServer, allowsPrivate: Bool = false) throws
        -> HTTPRepresentation
    {
        let options = NetworkOptions(
            headers: Self.headers,
            allowsPrivateAddresses: allowsPrivate,
            proxy: "http://agent:h%40sh@127.0.0.1:\(proxy.port)"
        )
        return try HTTPRepresentation(url: url, options: options, policy: ServedFile.policy)
    }

    @Test("A proxy receives the whole URL, resolves the host, and gets its own credentials")
    func whole() throws {
        let bytes = ServedFile.bytes(1000)
        let proxy = try FaultServer(bytes)
        defer { proxy.stop() }
        setenv("no_proxy", "*", 1)
        defer { unsetenv("no_proxy") }
        #expect(try ServedFile.read(try source("http://film.example/a.mp4?x=1", proxy)) == bytes)
        let asked = try #require(proxy.log.first)
        #expect(asked.path == "http://film.example/a.mp4?x=1")
        #expect(asked.headers["proxy-authorization"] == "Basic YWdlbnQ6aEBzaA==")
        #expect(asked.headers["authorization"] == nil)
    }

    @Test("After a redirect to another origin only the credentials of the proxy are sent")
    func redirect() throws {
        let bytes = ServedFile.bytes(1000)
        let proxy = try FaultServer(bytes) { request, answer in
            guard request.path.hasPrefix("http://one.example/") else { return }
            answer = Answer(302, headers: [("Location", "http://two.example/b.mp4")])
        }
        defer { proxy.stop() }
        #expect(try ServedFile.read(try source("http://me:pass@one.example/a.mp4", proxy)) == bytes)
        let asked = proxy.log
        #expect(asked.map(\.path) == ["http://one.example/a.mp4", "http://two.example/b.mp4"])
        #expect(asked.allSatisfy { $0.headers["proxy-authorization"] != nil })
        #expect(asked.map { $0.headers["authorization"] != nil } == [true, false])
        #expect(asked.map { $0.headers["x-key"] != nil } == [true, false])
        #expect(asked.map { $0.headers["cookie"] != nil } == [true, false])
    }

    @Test(
        "Proxy authentication required is an error without credentials in its message",
        arguments: ["http", "https"]
    )
    func refused(scheme: String) throws {
        let proxy = try FaultServer { _ in Answer(407) }
        defer { proxy.stop() }
        let source = try source("\(scheme)://me:pass@film.example/a.mp4", proxy)
        let error = try #require(throws: MediaError.self) { try ServedFile.read(source) }
        #expect(error.code == .permissionDenied)
        #expect(error.message.contains("proxy") && error.message.contains("407"))
        #expect(!"\(error)".contains("h@sh") && !"\(error)".contains("h%40sh"))
        #expect(proxy.log.count == 1)
        // A CONNECT request must not contain header fields for the server.
        guard scheme == "https" else { return }
        let asked = try #require(proxy.log.first)
        #expect(asked.method == "CONNECT")
        for name in ["authorization", "x-key", "cookie"] { #expect(asked.headers[name] == nil) }
    }

    @Test("A proxy that cannot be reached is named in the error")
    func absent() throws {
        let proxy = try FaultServer([])
        proxy.stop()
        proxy.waitUntilClosed()
        let source = try source("http://film.example/a.mp4", proxy)
        let error = try #require(throws: MediaError.self) { try ServedFile.read(source) }
        #expect(error.code == .io)
        #expect(error.message.contains("connection to the proxy failed"))
    }

    @Test(
        "A name that cannot be resolved any more after bytes were delivered is tried again",
        arguments: [TransferEnd.Reason.noHost, .noProxy]
    )
    func unresolved(reason: TransferEnd.Reason) throws {
        let file = try ServedFile { _, answer in answer.hang = .inBody(1000) }
        defer { file.server.stop() }
        #expect(try file.read(upTo: 1000).count == 1000)
        let fetch = try #require(file.source.state.withLock { $0.fetches.values.first })
        let transfer = try #require(fetch.transfer)
        file.source.ended(TransferEnd(reason: reason), of: fetch, transfer)
        #expect(file.source.fetchCount == 1)
        file.server.release()
        #expect(try file.read() == file.bytes)
    }

    @Test(
        "A redirect through a proxy to a private address is refused",
        arguments: ["http://10.0.0.1/a", "http://2130706433/a", "http://localhost/a", "http://[::1]/a"]
    )
    func privateAddress(location: String) throws {
        let bytes = ServedFile.bytes(1000)
        let proxy = try FaultServer(bytes) { request, answer in
            if request.path.contains("film.example") {
                answer = Answer(302, headers: [("Location", location)])
            }
        }
        defer { proxy.stop() }
        let refused = try source("http://film.example/a.mp4", proxy)
        let error = try #require(throws: MediaError.self) { try ServedFile.read(refused) }
        #expect(error.code == .forbidden)
        #expect(proxy.log.count == 1)
        let allowed = try source("http://film.example/a.mp4", proxy, allowsPrivate: true)
        #expect(try ServedFile.read(allowed) == bytes)
    }

    @Test(
        "An invalid proxy URL is rejected",
        arguments: ["", "host:3128", "ftp://host", "http://", "http://host/path"]
    )
    func flaws(proxy: String) {
        let options = NetworkOptions(proxy: proxy)
        let error = #expect(throws: MediaError.self) {
            try HTTPRepresentation(url: "http://film.example/a.mp4", options: options)
        }
        #expect(error?.code == .invalidArgument)
    }
}
