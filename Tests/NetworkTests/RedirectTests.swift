import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// Tests redirects and the checks of private addresses.
@Suite("Redirects and private addresses", .timeLimit(.minutes(10)))
struct RedirectTests {
    typealias Answer = FaultServer.Answer

    // MARK: Redirects

    @Test("After a redirect, requests go to its target", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) throws {
        var policy = ServedFile.policy
        policy.window = 100_000
        let file = try ServedFile(policy: policy) {
            if $0.path == "/film.mp4" { $1 = Answer(status, headers: [("Location", "/other.mp4?x=1")]) }
        }
        defer { file.server.stop() }
        #expect(try file.read() == file.bytes)
        #expect(file.server.log.filter { $0.path == "/film.mp4" }.count == 1)
    }

    @Test("A redirect loop exceeds the limit")
    func circle() throws {
        let error = try ServedFile.fails(.exceedsLimits, requests: 11) { _, answer in
            answer = Answer(302, headers: [("Location", "/film.mp4")])
        }
        #expect(error.message.contains("too many redirects (limit 10)"))
    }

    @Test(
        "A redirect to another scheme is refused",
        arguments: ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:,x"]
    )
    func otherSchemes(location: String) throws {
        try ServedFile.fails(.forbidden, requests: 1) { _, answer in
            answer = Answer(302, headers: [("Location", location)])
        }
    }

    @Test("Credentials and secret headers are not sent to another origin")
    func credentials() throws {
        let bytes = ServedFile.bytes(1000)
        let other = try FaultServer(bytes)
        defer { other.stop() }
        let first = try FaultServer(bytes) { [port = other.port] in
            $1 = Answer(302, headers: [("Location", "http://127.0.0.1:\(port)/film.mp4")])
            _ = $0
        }
        defer { first.stop() }
        let headers = [("X-Key", "k"), ("Cookie", "c"), ("Referer", "r")].map {
            NetworkOptions.Header(name: $0, value: $1)
        }
        let url = "http://me:s%40cret@127.0.0.1:\(first.port)/film.mp4"
        let source = try HTTPRepresentation(url: url, options: NetworkOptions(headers: headers))
        #expect(try ServedFile.read(source) == bytes)
        let asked = try #require(first.log.first).headers
        #expect(asked["authorization"] == "Basic bWU6c0BjcmV0")
        #expect(asked["x-key"] == "k")
        #expect(asked["cookie"] == "c")
        let led = try #require(other.log.first).headers
        #expect(led["authorization"] == nil)
        #expect(led["x-key"] == nil)
        #expect(led["cookie"] == nil)
        #expect(led["referer"] == "r")
    }

    @Test("Credentials are sent again to their origin when another one redirects back to it")
    func credentialsAfterReturn() throws {
        let bytes = ServedFile.bytes(1000)
        let target = Locked("")
        let other = try FaultServer([]) { _, answer in
            answer = Answer(302, headers: [("Location", target.withLock { $0 })])
        }
        defer { other.stop() }
        let link = other.url()
        let first = try FaultServer(bytes) { request, answer in
            if request.path == "/film.mp4" { answer = Answer(302, headers: [("Location", link)]) }
        }
        defer { first.stop() }
        target.withLock { $0 = "http://127.0.0.1:\(first.port)/other.mp4" }
        let source = try HTTPRepresentation(url: "http://me:s%40cret@127.0.0.1:\(first.port)/film.mp4")
        #expect(try ServedFile.read(source) == bytes)
        #expect(first.log.map { $0.headers["authorization"] == "Basic bWU6c0BjcmV0" } == [true, true])
        #expect(other.log.map { $0.headers["authorization"] == nil } == [true])
    }

    @Test("An expired redirect target is replaced through the original URL")
    func expired() throws {
        var policy = ServedFile.policy
        policy.window = 100_000
        let file = try ServedFile(policy: policy) {
            if $0.path == "/film.mp4" { $1 = Answer(302, headers: [("Location", "/link\($0.number)")]) }
            if $0.path == "/link1", $0.range?.first != 0 { $1 = Answer(403) }
        }
        defer { file.server.stop() }
        #expect(try file.read() == file.bytes)
        #expect(file.server.log.filter { $0.path == "/film.mp4" }.count >= 2)
    }

    @Test("Errors contain no secrets")
    func secrets() throws {
        let file = try ServedFile { _, answer in answer = Answer(403) }
        defer { file.server.stop() }
        let url = "http://me:hush@127.0.0.1:\(file.server.port)/film.mp4?token=hush"
        let source = try HTTPRepresentation(url: url)
        let error = #expect(throws: MediaError.self) { try ServedFile.read(source) }
        #expect(error.map { !"\($0)".contains("hush") } == true)
        #expect(error?.location == "http://127.0.0.1:\(file.server.port)/film.mp4")
    }

    @Test("Proxy variables of the environment are ignored")
    func noProxy() throws {
        let proxy = try FaultServer(ServedFile.bytes(10))
        defer { proxy.stop() }
        setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
        defer { unsetenv("http_proxy") }
        let file = try ServedFile.recovers { _, _ in }
        #expect(file.server.log.count == 1)
        #expect(proxy.log.isEmpty)
    }

    // MARK: Private addresses

    /// Returns a policy that treats 127.0.0.2 as a public address.
    private static func reachPolicy() throws -> HTTPRepresentation.Policy {
        var policy = ServedFile.policy
        let outside = try #require(PeerAddress("127.0.0.2"))
        policy.isPublicAddress = { $0 == outside }
        return policy
    }

    /// Reads a file that a public server redirects to a private one. Returns the result and the number of requests to
    /// the private server.
    private static func readRedirectInside(allowed: Bool) throws -> (Result<[UInt8], MediaError>, inside: Int)
    {
        let inside = try FaultServer(ServedFile.bytes(1000))
        defer { inside.stop() }
        let link = inside.url()
        let outside = try FaultServer([], host: 2) { _, answer in
            answer = Answer(302, headers: [("Location", link)])
        }
        defer { outside.stop() }
        let source = try HTTPRepresentation(
            url: outside.url(),
            options: NetworkOptions(allowsPrivateAddresses: allowed),
            policy: reachPolicy()
        )
        let result = Result { () throws(MediaError) in try ServedFile.read(source) }
        return (result, inside.log.count)
    }

    @Test("A redirect from a public server to a private address is refused without a request")
    func privateAddress() throws {
        let (result, inside) = try Self.readRedirectInside(allowed: false)
        guard case .failure(let error) = result else {
            Issue.record("bytes were read")
            return
        }
        #expect(error.code == .forbidden)
        #expect(error.message.contains("private address"))
        #expect(inside == 0)
    }

    @Test("A redirect to a private address works if the options allow it")
    func allowedPrivateAddress() throws {
        let (result, inside) = try Self.readRedirectInside(allowed: true)
        #expect(try result.get() == ServedFile.bytes(1000))
        #expect(inside == 1)
    }

    @Test("An open connection of another source does not bypass the address check")
    func openConnection() throws {
        let inside = try FaultServer(ServedFile.bytes(1000))
        defer { inside.stop() }
        let own = try HTTPRepresentation(
            url: inside.url(),
            options: NetworkOptions(),
            policy: Self.reachPolicy()
        )
        #expect(try ServedFile.read(own) == ServedFile.bytes(1000))
        let resource = try HTTPResource(
            url: inside.url(),
            options: NetworkOptions(),
            referrer: .publicServer
        )
        let nested = HTTPRepresentation(resource, try Self.reachPolicy(), CookieStore(), nil)
        let error = #expect(throws: MediaError.self) { try ServedFile.read(nested) }
        #expect(error?.code == .forbidden)
        #expect(inside.log.count == 1)
    }

    @Test("Resources that a public server refers to must be public, at any depth")
    func namedInPublic() throws {
        let inside = try FaultServer(ServedFile.bytes(1000))
        defer { inside.stop() }
        let outside = try FaultServer(ServedFile.bytes(1000), host: 2)
        defer { outside.stop() }
        let list = try HTTPRepresentation(
            url: outside.url("/list.m3u8"),
            options: NetworkOptions(),
            policy: Self.reachPolicy()
        )
        _ = try ServedFile.read(list)
        let variant = try list.openReferenced("variant.m3u8")
        _ = try ServedFile.read(variant)
        for source in [list, variant] {
            let segment = try source.openReferenced(inside.url())
            let error = #expect(throws: MediaError.self) { try ServedFile.read(segment) }
            #expect(error?.code == .forbidden)
        }
        #expect(inside.log.isEmpty)
    }

    @Test("A private server may redirect anywhere")
    func fromInside() throws {
        let outside = try FaultServer(ServedFile.bytes(1000), host: 2)
        defer { outside.stop() }
        let link = outside.url()
        let inside = try FaultServer([]) {
            $1 = Answer(302, headers: [("Location", $0.path == "/a" ? "/b" : link)])
        }
        defer { inside.stop() }
        let source = try HTTPRepresentation(
            url: inside.url("/a"),
            options: NetworkOptions(),
            policy: Self.reachPolicy()
        )
        #expect(try ServedFile.read(source) == ServedFile.bytes(1000))
    }

    @Test(
        "Addresses are classified as public or private",
        arguments: [
            ("8.8.8.8", true), ("172.15.255.255", true), ("172.32.0.0", true), ("192.0.1.0", true),
            ("100.128.0.0", true), ("223.255.255.255", true), ("198.20.0.0", true), ("2606:4700::1111", true),
            ("::ffff:8.8.8.8", true), ("64:ff9b::808:808", true), ("2002:808:808::1", true),
            ("0.0.0.0", false), ("10.255.0.1", false), ("127.8.9.1", false), ("169.254.169.254", false),
            ("172.16.0.0", false), ("172.31.255.255", false), ("192.168.1.1", false), ("100.64.0.1", false),
            ("192.0.0.8", false), ("192.0.2.1", false), ("198.18.0.1", false), ("224.0.0.1", false),
            ("255.255.255.255", false), ("::", false), ("::1", false), ("fe80::1%eth0", false),
            ("fd00::1", false), ("ff02::1", false), ("2001:db8::1", false), ("::ffff:127.0.0.1", false),
            ("64:ff9b::a00:1", false), ("2002:7f00:1::1", false), ("::7f00:1", false),
        ]
    )
    func classes(text: String, isPublic: Bool) throws {
        #expect(try #require(PeerAddress(text)).isPublic == isPublic)
    }

    @Test(
        "Other text is not an address",
        arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "::g", "999.1.1.1"]
    )
    func noAddress(text: String) { #expect(PeerAddress(text) == nil) }
}
