import Foundation
import Glibc
import TestSupport
import Testing

@testable import vplay

/// The parser and the rules of the HTTP interface. Tests/check-http.py checks the whole.
@Suite("HTTP interface")
struct HTTPTests {
    private func parse(_ text: String) throws(HTTPStatus) -> HTTPRequest? {
        try HTTPRequest.parse(Array(text.utf8))?.request
    }

    @Test("A request is parsed, and the next one remains")
    func requests() throws {
        let text = "GET /play?item=a%20b+c%2Fd.mp4&x HTTP/1.1\r\nHost: a\r\nX-Y:  z \r\n\r\n"
        let bytes = Array((text + text + "GET").utf8)
        let (request, end) = try #require(try HTTPRequest.parse(bytes))
        #expect(request.method == .get && request.path == "/play" && request.keepsConnection)
        #expect(request.parameter("item") == "a b c/d.mp4")
        #expect(request.parameter("x") == "")
        #expect(request["x-y"] == "z")
        #expect(end == text.utf8.count)
        let second = try #require(try HTTPRequest.parse(bytes, from: end))
        #expect(second.request.parameter("item") == "a b c/d.mp4" && second.end == 2 * end)
        #expect(try HTTPRequest.parse(bytes, from: second.end) == nil)
    }

    @Test(
        "What is no request is refused",
        arguments: [
            ("GET /\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
            ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("PUT / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
            ("GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /%0 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /?a=%0d%0a HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\nb: c\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
            ("GET / HTTP/1.1\r\nHost: a\0\r\n\r\n", 400),
            ("GET /" + String(repeating: "a", count: 9000), 431),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 8200) + "\r\n\r\n", 431),
        ] as [(String, Int)]
    )
    func refusals(text: String, status: Int) {
        do throws(HTTPStatus) {
            let request = try parse(text)
            Issue.record("accepted: \(String(describing: request))")
        } catch {
            #expect(error.rawValue == status)
        }
    }

    @Test(
        "Without a token, requests of other hosts and sites are refused",
        arguments: [
            ("Host: localhost:80", nil), ("Host: 127.0.0.1", nil), ("Host: [::1]:80", nil),
            ("Host: evil.example", 421), ("Host: 127.0.0.1.evil.example:80", 421), ("Host:", 421),
            ("Host: localhost\r\nSec-Fetch-Site: cross-site", 403),
            ("Host: localhost\r\nSec-Fetch-Site: same-site", 403),
            ("Host: localhost\r\nSec-Fetch-Site: none", nil),
            ("Host: localhost\r\nSec-Fetch-Site: same-origin", nil),
            ("Host: localhost\r\nOrigin: https://evil.example", 403),
            ("Host: localhost\r\nOrigin: null", 403),
            ("Host: localhost:80\r\nOrigin: http://localhost:80", nil),
            ("Host: localhost:80\r\nReferer: http://localhost:8000/x", 403),
        ] as [(String, Int?)]
    )
    func otherSites(fields: String, status: Int?) throws {
        let request = try #require(try parse("GET /next HTTP/1.1\r\n\(fields)\r\n\r\n"))
        #expect(HTTPAccess(token: nil, address: "127.0.0.1").refusal(of: request)?.rawValue == status)
    }

    @Test("With a token, only requests that have it are answered")
    func tokens() throws {
        let access = HTTPAccess(token: "secret", address: "0.0.0.0")
        func refusal(_ target: String, _ fields: String = "") throws -> HTTPStatus? {
            let request = try #require(
                try parse("GET \(target) HTTP/1.1\r\nHost: kiosk.example\(fields)\r\n\r\n")
            )
            return access.refusal(of: request)
        }
        #expect(try refusal("/") == .unauthorized)
        #expect(try refusal("/?token=secre") == .unauthorized)
        #expect(try refusal("/?token=secrets") == .unauthorized)
        #expect(try refusal("/?token=") == .unauthorized)
        #expect(try refusal("/?token=secret") == nil)
        #expect(try refusal("/", "\r\nAuthorization: Bearer secret") == nil)
        #expect(try refusal("/?token=secret", "\r\nAuthorization: Bearer wrong") == .unauthorized)
    }

    @Test("No file outside the folder is found")
    func mediaFolder() throws {
        let outside = try TemporaryFolder()
        let inside = try TemporaryFolder()
        try outside.write("secret.mp4", Data([1]))
        try inside.write("a b.mp4", Data([1]))
        let files = FileManager.default
        try files.createDirectory(atPath: inside.path("sub"), withIntermediateDirectories: false)
        try files.createSymbolicLink(
            atPath: inside.path("link.mp4"),
            withDestinationPath: outside.path("secret.mp4")
        )
        try files.createSymbolicLink(atPath: inside.path("up"), withDestinationPath: outside.url.path)
        try files.createSymbolicLink(atPath: inside.path("good.mp4"), withDestinationPath: "a b.mp4")
        mkfifo(inside.path("pipe.mp4"), 0o600)
        let folder = try #require(MediaFolder(inside.url.path))
        #expect(try folder.file("a b.mp4") == folder.path + "/a b.mp4")
        #expect(try folder.file("good.mp4") == folder.path + "/a b.mp4")
        #expect(
            try folder.file("sub/../a b.mp4".replacing("sub/../", with: "./")) == folder.path + "/a b.mp4"
        )
        for (item, status) in [
            ("", HTTPStatus.badRequest), ("a\0b", .badRequest), ("/etc/passwd", .forbidden),
            ("../x", .forbidden),
            ("sub/../../x", .forbidden), ("link.mp4", .forbidden), ("up/secret.mp4", .forbidden),
            ("sub", .notFound),
            ("pipe.mp4", .notFound), ("none.mp4", .notFound), (".", .forbidden),
        ] {
            #expect(throws: status, "\(item)") { try folder.file(item) }
        }
        #expect(MediaFolder(inside.path("a b.mp4")) == nil)
    }

    @Test(
        "Addresses are numeric",
        arguments: [
            ("8080", "127.0.0.1"), ("localhost:1", "127.0.0.1"), ("[::1]:80", "::1"),
            ("0.0.0.0:0", "0.0.0.0"),
            ("", nil), (":80", nil), ("a.example:80", nil), ("127.0.0.1", nil), ("127.0.0.1:99999", nil),
            ("1:+5", nil),
        ] as [(String, String?)]
    )
    func endpoints(text: String, address: String?) {
        #expect(HTTPEndpoint(text)?.address == address)
    }

    @Test(
        "The path for HTTP clients has no credentials and tokens",
        arguments: [
            ("http://u:secret@a.example/clip.mp4?token=T", "http://a.example/clip.mp4"),
            ("https://a.example/b%20c.m3u8?token=T#x", "https://a.example/b%20c.m3u8"),
            ("rtsp://u:secret@a.example/x", "rtsp://a.example/x"),
            ("/films/what? #1.mp4", "/films/what? #1.mp4"), ("a\tb.mp4", "a\tb.mp4"),
            ("u:secret@a.mp4", "u:secret@a.mp4"), ("file:///films/a.mp4", "file:///films/a.mp4"), ("-", "-"),
        ]
    )
    func publicPaths(argument: String, expected: String) {
        #expect(Input(argument)?.publicArgument == expected)
    }

    private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    @Test("The interface answers, and hostile clients delay nothing", .enabled(if: hasPython && Media.isMade))
    func checks() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("check-http.py")
        let outcome = try await Command.shell(#"exec /usr/bin/python3 "$1" "$vplay""#, script.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasSuffix(", 0 failed\n"))
    }
}
