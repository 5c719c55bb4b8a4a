import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// Servers that lead on to other places, and what may go there.
@Suite("Network: other places", .timeLimit(.minutes(1)))
struct PlaceFaultTests {
    typealias Answer = FaultServer.Answer

    // MARK: Other places

    @Test("It leads on: requests go there from then on", arguments: [301, 302, 303, 307, 308])
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

    @Test("It leads in a circle")
    func circle() throws {
        let error = try ServedFile.fails(.exceedsLimits, requests: 11) { _, answer in
            answer = Answer(302, headers: [("Location", "/film.mp4")])
        }
        #expect(error.message.contains("10 times"))
    }

    @Test("It leads out of the network", arguments: ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:,x"])
    func otherSchemes(location: String) throws {
        try ServedFile.fails(.forbidden, requests: 1) { _, answer in
            answer = Answer(302, headers: [("Location", location)])
        }
    }

    @Test("Credentials and headers stay with their own host")
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
        let source = try HTTPByteSource(url: url, options: NetworkOptions(headers: headers))
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

    @Test("A link that has expired is fetched anew from where it was given out")
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

    @Test("No secret is in an error")
    func secrets() throws {
        let file = try ServedFile { _, answer in answer = Answer(403) }
        defer { file.server.stop() }
        let url = "http://me:hush@127.0.0.1:\(file.server.port)/film.mp4?token=hush"
        let source = try HTTPByteSource(url: url)
        let error = #expect(throws: MediaError.self) { try ServedFile.read(source) }
        #expect(error.map { !"\($0)".contains("hush") } == true)
        #expect(error?.location == "http://127.0.0.1:\(file.server.port)/film.mp4")
    }

    @Test("No proxy is taken from the environment")
    func noProxy() throws {
        let proxy = try FaultServer(ServedFile.bytes(10))
        defer { proxy.stop() }
        setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
        defer { unsetenv("http_proxy") }
        let file = try ServedFile.recovers { _, _ in }
        #expect(file.server.log.count == 1)
        #expect(proxy.log.isEmpty)
    }
}
