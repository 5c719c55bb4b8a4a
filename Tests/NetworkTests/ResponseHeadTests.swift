import MediaCore
import Testing

@testable import Network

@Suite("Response headers and HTTP addresses")
struct ResponseHeadTests {
    private func head(_ lines: [String]) -> ResponseHead {
        var head = ResponseHead()
        for line in lines { head.parse(line[...]) }
        return head
    }

    @Test("A partial response has a range, a length and a validator")
    func aPart() {
        let head = head([
            "HTTP/1.1 206 Partial", "content-RANGE:  bytes 5-9/100 ", "ETag: \"a\"", "Content-Length: 5",
        ])
        #expect(head.status == 206)
        #expect(head.contentRange == .init(first: 5, last: 9, total: 100))
        #expect(head.validator == "\"a\"")
        #expect(head.contentLength == 5)
        #expect(head.isPlain)
    }

    @Test(
        "An invalid Content-Range is ignored",
        arguments: [
            "bytes 9-5/100", "bytes 5-100/100", "bytes -5-9/100", "bytes a-b/c", "bytes 5-9", "pages 5-9/100",
            "bytes 5-9/-1",
            "bytes 5-9223372036854775807/*", "bytes 5-9/9223372036854775807",
            "bytes 99999999999999999999-9/*",
        ]
    )
    func nonsense(range: String) {
        #expect(head(["HTTP/1.1 206 x", "Content-Range: \(range)"]).contentRange == nil)
    }

    @Test(
        "A body without a content coding is recognized, also if a store of objects names that of uploads",
        arguments: [
            ([], true), ([""], true), (["Identity"], true), (["aws-chunked"], true),
            (["aws-chunked, identity"], true),
            (["gzip"], false), (["aws-chunked,gzip"], false), (["br", ""], false), (["", "br"], false),
        ] as [([String], Bool)]
    )
    func contentCodings(values: [String], isPlain: Bool) {
        let head = head(["HTTP/1.1 200 OK"] + values.map { "Content-Encoding: \($0)" })
        #expect(head.isPlain == isPlain)
    }

    @Test(
        "Internet radio is recognized by its status line or its fields",
        arguments: [
            (["ICY 200 OK"], true), (["HTTP/1.0 200 OK", "ICY-Name: Radio"], true),
            (["HTTP/1.0 200 OK", "icy-br:128"], true),
            (["HTTP/1.0 200 OK", "Content-Type: audio/mpeg"], false),
            // The fields of an interim response do not count.
            (["HTTP/1.1 100 Continue", "icy-br: 128", "HTTP/1.1 200 OK"], false),
        ]
    )
    func broadcasts(lines: [String], isBroadcast: Bool) {
        #expect(head(lines).isBroadcast == isBroadcast)
    }

    @Test(
        "A media type is read without its parameters",
        arguments: [
            ("audio/mpeg", "audio/mpeg"), ("Audio/AACP ; charset=utf-8", "audio/aacp"), ("", nil), (";", nil),
        ] as [(String, String?)]
    )
    func mediaType(value: String, expected: String?) {
        #expect(head(["HTTP/1.1 200 OK", "Content-Type: \(value)"]).mediaType == expected)
    }

    @Test("A Content-Range may omit the range or the total length")
    func unknownTotals() {
        #expect(head(["Content-Range: bytes 0-4/*"]).contentRange == .init(first: 0, last: 4, total: nil))
        #expect(head(["Content-Range: bytes */77"]).contentRange == .init(first: nil, last: nil, total: 77))
    }

    @Test("The status line of a SHOUTcast server has the status of HTTP", arguments: [200, 401])
    func shoutcast(status: Int) {
        let head = head(["ICY \(status) Scripted", "icy-name: Radio", "ICY-BR: 128", "Accept-Ranges: none"])
        #expect(head.status == status)
        #expect(!head.acceptsRanges)
    }

    @Test("A negative or excessive Content-Length is ignored")
    func aLengthThatNothingHas() {
        #expect(head(["Content-Length: 9223372036854775807"]).contentLength == nil)
        #expect(head(["Content-Length: -1"]).contentLength == nil)
    }

    @Test("Header fields of an interim response are ignored")
    func anInterimAnswerSaysNothing() {
        let head = head([
            "HTTP/1.1 100 Continue", "ETag: \"x\"", "HTTP/2 200", "Last-Modified: now", "ETag: W/\"y\"",
        ])
        #expect(head.status == 200)
        #expect(head.entityTag == "W/\"y\"")
        #expect(head.validator == "now")
    }

    @Test(
        "Names of hosts beyond ASCII are sent in ASCII",
        .enabled(if: HostName.ascii("ü") != nil, "libidn2 is not installed")
    )
    func internationalNames() throws {
        #expect(HostName.ascii("Host.example") == "Host.example")
        #expect(HostName.ascii("MÜLLER.example") == "xn--mller-kva.example")
        #expect(HostName.ascii("１２７.0.0.1") == "127.0.0.1")
        #expect(HostName.ascii(String(repeating: "ü", count: 80)) == nil)
        for host in ["日本.example", "%E6%97%A5%E6%9C%AC.example"] {
            let address = try #require(HTTPAddress("http://me@\(host):8080/a?b"))
            #expect(address.text == "http://xn--wgv71a.example:8080/a?b")
            #expect(address.origin == "http://xn--wgv71a.example:8080")
            #expect(try address.resolving("//\(host)/c").text == "http://xn--wgv71a.example/c")
            #expect(ProxyAddress("http://\(host):1")?.text == "http://xn--wgv71a.example:1")
        }
        #expect(HTTPAddress("http://a@ü%40b/")?.host != "b")
    }

    @Test("Credentials stay with their origin, and redirects to other schemes are refused")
    func addresses() throws {
        let address = try #require(HTTPAddress("HTTPS://me:s%40x@Host.example/a.mp4?key=1#t"))
        #expect(address.user == "me")
        #expect(address.password == "s@x")
        #expect(address.origin == "https://host.example:443")
        #expect(!address.text.contains("me:"))
        #expect(address.name.hasSuffix("/a.mp4"))
        #expect(HTTPAddress("ftp://host/a") == nil)
        #expect(HTTPAddress("http:///a") == nil)
        for host in ["[]", "%5B", "%5B%5D", "%5D", "a%40b", "a%2Fb", "a%20b", "a%00b", "%5B::1%5D%40b"] {
            #expect(HTTPAddress("https://\(host)/") == nil, "\(host)")
            #expect(ProxyAddress("http://\(host):3128") == nil, "\(host)")
        }
        let literal = try #require(HTTPAddress("http://[2001:DB8::1]:8080/a"))
        #expect((literal.host, literal.origin) == ("2001:db8::1", "http://[2001:db8::1]:8080"))
        #expect(ProxyAddress("socks5://[::1]")?.text == "socks5://[::1]:1080")
        #expect(ProxyAddress("http://me:a%40b@Proxy.example:8080/")?.text == "http://Proxy.example:8080")
        let same = try address.resolving("/b.mp4")
        #expect(same.user == "me")
        #expect(same.text.hasSuffix("/b.mp4"))
        let other = try address.resolving("//other.example/b.mp4")
        #expect(other.user == nil)
        #expect(other.password == nil)
        let sent = try address.resolving("https://you:pass@other.example/")
        #expect(sent.user == nil)
        for refused in ["http://host.example/b", "file:///etc/passwd", "ftp://host.example/b"] {
            let error = #expect(throws: MediaError.self) { try address.resolving(refused) }
            #expect(error?.code == .forbidden)
        }
    }

    @Test(
        "Header fields that would break the request are rejected",
        arguments: [
            ("", "x"), ("A b", "x"), ("A", "x\r\nHost: y"), ("Range", "bytes=0-"),
            ("accept-encoding", "gzip"), ("A:", "b"),
        ]
    )
    func headers(name: String, value: String) {
        let options = NetworkOptions(headers: [.init(name: name, value: value)])
        let error = #expect(throws: MediaError.self) {
            try HTTPRepresentation(url: "http://h/", options: options)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("Accept and User-Agent are sent once: those of the application, or otherwise the default ones")
    func defaultHeaders() throws {
        func lines(_ headers: [NetworkOptions.Header]) throws -> [String] {
            let resource = try HTTPResource(url: "http://h/", options: NetworkOptions(headers: headers))
            let request = TransferRequest(
                to: resource.address,
                redirectedFrom: resource.address,
                for: resource,
                HTTPRepresentation.Policy(),
                CookieStore(),
                isReferrerPublic: false
            )
            return request.headerLines.map { $0.lowercased() }
                .filter { $0.hasPrefix("accept:") || $0.hasPrefix("user-agent:") }.sorted()
        }
        let own = [("Accept", "video/webm"), ("user-agent", "film/1")].map {
            NetworkOptions.Header(name: $0, value: $1)
        }
        #expect(try lines(own) == ["accept: video/webm", "user-agent: film/1"])
        #expect(try lines([]) == ["accept: */*", "user-agent: playhead"])
    }
}
