import Playhead
import Testing

@testable import AVFoundation

@Suite("AVURLAssetHTTPCookiesKey")
struct AVURLAssetCookieTests {
    /// Returns a cookie for all paths of example.com, unless the properties say otherwise.
    private static func cookie(
        _ name: String = "a",
        _ properties: [HTTPCookiePropertyKey: Any] = [:]
    ) throws -> HTTPCookie {
        let usual: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: "1", .domain: "example.com", .path: "/",
        ]
        return try #require(HTTPCookie(properties: usual.merging(properties) { $1 }))
    }

    /// Returns the header fields of an asset with cookies.
    private static func headers(
        _ cookies: [HTTPCookie],
        _ url: String,
        _ options: [String: Any] = [:]
    ) throws -> [String] {
        let options = options.merging([AVURLAssetHTTPCookiesKey: cookies]) { $1 }
        let asset = AVURLAsset(url: try #require(URL(string: url)), options: options)
        return (asset.asset.options.network?.headers ?? []).map { "\($0.name): \($0.value)" }
    }

    @Test("Cookies are sent in one header field, beside the other fields")
    func header() throws {
        let cookies = [try Self.cookie("a"), try Self.cookie("b")]
        #expect(try Self.headers(cookies, "http://example.com/clip.mp4") == ["Cookie: a=1; b=1"])
        let options = [AVURLAssetHTTPUserAgentKey: "player"]
        #expect(
            try Self.headers(cookies, "http://example.com/clip.mp4", options)
                == ["User-Agent: player", "Cookie: a=1; b=1"]
        )
        #expect(try Self.headers([], "http://example.com/clip.mp4").isEmpty)
        let networks = [
            AVURLAssetAllowsCellularAccessKey: false, AVURLAssetAllowsExpensiveNetworkAccessKey: false,
            AVURLAssetAllowsConstrainedNetworkAccessKey: false,
        ]
        #expect(try Self.headers([], "http://example.com/clip.mp4", networks).isEmpty)
    }

    @Test(
        "A cookie is sent if its domain and its path are those of the URL",
        arguments: [
            ("example.com", "/", "http://example.com/clip.mp4", true),
            ("example.com", "/", "http://EXAMPLE.com", true),
            // The delegate of the resource loader may redirect to any host.
            ("example.com", "/", "clips://example.com/clip.mp4", false),
            ("example.com", "/", "http://www.example.com/clip.mp4", false),
            (".example.com", "/", "http://www.example.com/clip.mp4", true),
            (".example.com", "/", "http://example.com/clip.mp4", true),
            (".example.com", "/", "http://notexample.com/clip.mp4", false),
            ("example.com", "/films", "http://example.com/films/clip.mp4", true),
            ("example.com", "/films", "http://example.com/films", true),
            ("example.com", "/films/", "http://example.com/films/clip.mp4", true),
            ("example.com", "/films", "http://example.com/films2/clip.mp4", false),
        ]
    )
    func place(_ domain: String, _ path: String, _ url: String, _ isSent: Bool) throws {
        let cookie = try Self.cookie("a", [.domain: domain, .path: path])
        #expect(try Self.headers([cookie], url) == (isSent ? ["Cookie: a=1"] : []))
    }

    @Test("A secure cookie is sent over https only, and an expired one is not sent")
    func conditions() throws {
        let secure = try Self.cookie("a", [.secure: "TRUE"])
        #expect(try Self.headers([secure], "https://example.com/clip.mp4") == ["Cookie: a=1"])
        #expect(try Self.headers([secure], "http://example.com/clip.mp4").isEmpty)
        let expired = try Self.cookie("a", [.expires: Date(timeIntervalSince1970: 1)])
        #expect(try Self.headers([expired], "https://example.com/clip.mp4").isEmpty)
        let kept = try Self.cookie("a", [.expires: Date.distantFuture])
        #expect(try Self.headers([kept], "https://example.com/clip.mp4") == ["Cookie: a=1"])
    }
}
