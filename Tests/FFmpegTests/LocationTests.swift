import Glibc
import MediaCore
import Testing

@testable import FFmpeg

/// Which locations may be opened, and the error messages for all others.
struct LocationTests {
    @Test(arguments: [
        ("/a/b.mp4", "/a/b.mp4"), ("file:///a/b%20c.mp4", "/a/b c.mp4"), ("file:/a/b.mp4", "/a/b.mp4"),
        ("file://localhost/a.mp4", "/a.mp4"), ("a:b/c.mp4", "a:b/c.mp4"), ("file:///%C3%A4.mp4", "/ä.mp4"),
    ])
    func paths(_ text: String, _ path: String) throws {
        #expect(try Location(text) == .file(path: path))
    }

    @Test func standardInput() throws {
        #expect(try Location("-") == .standardInput)
    }

    @Test(arguments: [
        "http://host/a.mp4", "https://host/a.m3u8", "rtmp://host/live", "concat:a.mp4|b.mp4",
        "data:video/mp4;base64,AAAA", "file://server/share/a.mp4", "HTTP://host/a",
    ])
    func everythingElseIsForbidden(_ text: String) {
        let error = #expect(throws: MediaError.self) { try Location(text) }
        #expect(error?.code == .forbidden)
    }

    @Test(arguments: ["https://me:secret@host/a.mp4?token=abc", "file://me:secret@host/a.mp4"])
    func secretsDoNotAppearInErrors(_ text: String) {
        let error = #expect(throws: MediaError.self) { try Location(text) }
        #expect(error?.location?.hasSuffix("://host/a.mp4") == true)
    }

    @Test(arguments: ["file:", "file:///a%0", "file:///a%00b", "file:///%zz", ""])
    func brokenURLsAreInvalid(_ text: String) {
        let error = #expect(throws: MediaError.self) { try Location(text) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func redactionLeavesOrdinaryWordsAlone() {
        #expect(Redaction.redact("moov atom not found?\n") == "moov atom not found?")
        #expect(Redaction.redact("open http://u:p@h/x?k=1 failed") == "open http://h/x failed")
        #expect(Redaction.location("http://u:p@h/x?k=1") == "http://h/x")
        #expect(Redaction.location("/a b/c?d#e ") == "/a b/c?d#e ")
        #expect(Redaction.location("file:///a?b#c") == "file:///a?b#c")
        #expect(Redaction.redact("the input file:///a?b.mp4: exists") == "the input file:///a?b.mp4: exists")
    }

    @Test(arguments: [
        ("cache:http://u:p@h/x?k=1", "cache:http://h/x"), ("http://a/http://u:p@h/y", "http://a/http://h/y"),
        ("http://a/x,http://u:p@h/y?k=1", "http://a/x,http://h/y"),
        ("concat:http://u:p@a/x|http://u:p@h/y", "concat:http://a/x|http://h/y"),
        ("a:b/c?d", "a:b/c?d"), ("::", "::"),
        // Characters of a password that must be encoded.
        ("http://u:p/q@h/x", "http://h/x"), ("http://u:p?q#r@h/x?k=1", "http://h/x"),
        ("http://u:a:1/q@h/x", "http://h/x"), ("http://a/http://u:p/q@h/y", "http://a/http://h/y"),
        ("http://h:80/a@b", "http://h:80/a@b"),
        ("http://[::1]/a@b", "http://[::1]/a@b"),
    ])
    func urlsInURLsAreRedacted(_ text: String, _ redacted: String) {
        #expect(Redaction.location(text) == redacted)
    }

    @Test func anyNumberOfURLsInAURLIsRedacted() {
        let inner = String(repeating: "a://u:p@", count: 100_000)
        let redacted = String(repeating: "a://", count: 100_000)
        #expect(Redaction.location("http://h/\(inner)h/x?k=1") == "http://h/\(redacted)h/x")
    }

    @Test func missingFilesAndFoldersHaveWords() {
        let missing = #expect(throws: MediaError.self) { try FileByteSource(path: "/none/at/all.mp4") }
        #expect(missing?.code == .notFound)
        let folder = #expect(throws: MediaError.self) { try FileByteSource(path: "/tmp") }
        #expect(folder?.code == .io)
        #expect(folder?.message.contains("folder") == true)
        let device = #expect(throws: MediaError.self) { try FileByteSource(path: "/dev/null") }
        #expect(device?.code == .io)
    }

    @Test func aFileReadsByPosition() throws {
        let path = "/tmp/playhead-\(getpid())-bytes"
        let file = try #require(fopen(path, "w"))
        fputs("0123456789", file)
        fclose(file)
        defer { unlink(path) }
        let source = try FileByteSource(path: path)
        #expect(source.byteCount == 10)
        var bytes = [UInt8](repeating: 0, count: 4)
        let count = try bytes.withUnsafeMutableBytes { try source.read(at: 7, into: $0) }
        #expect(count == 3)
        #expect(bytes.prefix(3) == [0x37, 0x38, 0x39])
        source.cancel()
        #expect(throws: MediaError.self) {
            try bytes.withUnsafeMutableBytes { try source.read(at: 0, into: $0) }
        }
    }

    @Test func aPipeWaitsUntilItIsCancelled() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let source = PipeByteSource(descriptor: ends[0])
        _ = write(ends[1], "ab", 2)
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(try bytes.withUnsafeMutableBytes { try source.read(at: 0, into: $0) } == 2)
        #expect(throws: MediaError.self) {
            try bytes.withUnsafeMutableBytes { try source.read(at: 0, into: $0) }
        }
        source.cancel()
        let error = #expect(throws: MediaError.self) {
            try bytes.withUnsafeMutableBytes { try source.read(at: 2, into: $0) }
        }
        #expect(error?.code == .cancelled)
    }
}
