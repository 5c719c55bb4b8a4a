import MediaCore
import Testing

@testable import Network

@Suite("Network: the store of what has come")
struct RangeStoreTests {
    private func bytes(_ range: Range<Int64>) -> [UInt8] {
        range.map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    }

    @Test("Random parts in, and never a wrong byte out", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) {
        var random = SplitMix64(seed)
        var store = RangeStore(byteLimit: 8 * RangeStore.blockSize)
        var found = 0
        for _ in 0..<400 {
            let start = Int64.random(in: 0..<600_000, using: &random)
            let part = bytes(start..<start + Int64.random(in: 1...20_000, using: &random))
            part.withUnsafeBytes { store.write($0, at: start, isProtected: { _ in false }) }
            let place = Int64.random(in: 0..<700_000, using: &random)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 5000, alignment: 1)
            defer { buffer.deallocate() }
            let count = store.read(at: place, into: buffer)
            #expect(Array(buffer.prefix(count)) == bytes(place..<place + Int64(count)), "seed \(seed)")
            let end = store.runEnd(from: place, limit: 5000)
            #expect(min(end - place, 5000) == Int64(count), "seed \(seed)")
            if count > 0 { found += 1 }
        }
        #expect(found > 20)
    }

    @Test("What is protected stays; the rest goes by its last use")
    func eviction() {
        var store = RangeStore(byteLimit: 2 * RangeStore.blockSize)
        let size = Int64(RangeStore.blockSize)
        let block = [UInt8](repeating: 1, count: RangeStore.blockSize)
        for index in 0..<3 as Range<Int64> {
            block.withUnsafeBytes { store.write($0, at: index * size, isProtected: { $0 == 0 }) }
        }
        #expect(store.runEnd(from: 0, limit: size) == size)
        #expect(store.runEnd(from: size, limit: size) == size)
        #expect(store.runEnd(from: 2 * size, limit: size) == 3 * size)
        #expect(store.nextHeld(after: size, limit: 4 * size) == 2 * size)
        #expect(store.nextHeld(after: 3 * size, limit: 4 * size) == nil)
    }
}

@Suite("Network: heads and addresses")
struct HeadTests {
    private func head(_ lines: [String]) -> ResponseHead {
        var head = ResponseHead()
        for line in lines { head.take(line[...]) }
        return head
    }

    @Test func aPart() {
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
        "What makes no sense is not there",
        arguments: [
            "bytes 9-5/100", "bytes 5-100/100", "bytes -5-9/100", "bytes a-b/c", "bytes 5-9", "pages 5-9/100",
            "bytes 5-9/-1",
            "bytes 5-9223372036854775807/*", "bytes 99999999999999999999-9/*",
        ]
    )
    func nonsense(range: String) {
        #expect(head(["HTTP/1.1 206 x", "Content-Range: \(range)"]).contentRange == nil)
    }

    @Test func unknownTotals() {
        #expect(head(["Content-Range: bytes 0-4/*"]).contentRange == .init(first: 0, last: 4, total: nil))
        #expect(head(["Content-Range: bytes */77"]).contentRange == .init(first: nil, last: nil, total: 77))
    }

    @Test func anInterimAnswerSaysNothing() {
        let head = head([
            "HTTP/1.1 100 Continue", "ETag: \"x\"", "HTTP/2 200", "Last-Modified: now", "ETag: W/\"y\"",
        ])
        #expect(head.status == 200)
        #expect(head.entityTag == "W/\"y\"")
        #expect(head.validator == "now")
    }

    @Test func addresses() throws {
        let address = try #require(HTTPAddress("HTTPS://me:s%40x@Host.example/a.mp4?key=1#t"))
        #expect(address.user == "me")
        #expect(address.password == "s@x")
        #expect(address.origin == "https://host.example:443")
        #expect(!address.text.contains("me:"))
        #expect(address.name.hasSuffix("/a.mp4"))
        #expect(HTTPAddress("ftp://host/a") == nil)
        #expect(HTTPAddress("http:///a") == nil)
        let same = try address.led(to: "/b.mp4")
        #expect(same.user == "me")
        #expect(same.text.hasSuffix("/b.mp4"))
        let other = try address.led(to: "//other.example/b.mp4")
        #expect(other.user == nil)
        #expect(other.password == nil)
        let sent = try address.led(to: "https://you:pass@other.example/")
        #expect(sent.user == nil)
        for refused in ["http://host.example/b", "file:///etc/passwd", "ftp://host.example/b"] {
            let error = #expect(throws: MediaError.self) { try address.led(to: refused) }
            #expect(error?.code == .forbidden)
        }
    }

    @Test(
        "Headers that would break the request are refused",
        arguments: [
            ("", "x"), ("A b", "x"), ("A", "x\r\nHost: y"), ("Range", "bytes=0-"),
            ("accept-encoding", "gzip"), ("A:", "b"),
        ]
    )
    func headers(name: String, value: String) {
        let options = NetworkOptions(headers: [.init(name: name, value: value)])
        let error = #expect(throws: MediaError.self) {
            try HTTPByteSource(url: "http://h/", options: options)
        }
        #expect(error?.code == .invalidArgument)
    }
}
