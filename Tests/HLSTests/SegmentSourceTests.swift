import MediaCore
import PlayheadBackend
import Testing

@testable import HLS

/// A live playlist in memory whose segments are ten bytes with their numbers. It begins with one segment. Later it has
/// the third and the fourth one only.
private final class SlidingServer: MemoryServer {
    static let playlist = "http://host.test/live.m3u8"
    private let hasSlid = Locked(false)

    func slide() { hasSlid.withLock { $0 = true } }

    var now: Int64 { hasSlid.withLock { $0 } ? 104_000_000_000 : 100_000_000_000 }

    func bytes(of location: String) -> [UInt8]? {
        guard location == Self.playlist else {
            let number = location.split(separator: "/").last.flatMap { UInt8($0) }
            return number.map { [UInt8](repeating: $0, count: 10) }
        }
        let list =
            hasSlid.withLock { $0 }
            ? "#EXT-X-MEDIA-SEQUENCE:2\n#EXTINF:1,\n2\n#EXTINF:1,\n3\n" : "#EXTINF:1,\n0\n"
        return Array(("#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + list).utf8)
    }
}

@Suite("HLS: the stream of segments")
struct SegmentSourceTests {
    @Test("The stream ends where segments were removed before they were read, and continues after them")
    func removed() throws {
        let server = SlidingServer()
        let root = try MemoryResource(server, SlidingServer.playlist)
        let bytes = try #require(server.bytes(of: SlidingServer.playlist))
        guard case .media(let playlist) = try PlaylistParser.parse(bytes, at: SlidingServer.playlist) else {
            Issue.record("no media playlist")
            return
        }
        let source = SegmentSource(
            playlist,
            url: SlidingServer.playlist,
            resources: PresentationResources(root: root),
            liveOffset: nil
        ) { _, _ throws(MediaError) in
            throw MediaError(.encrypted, "no cipher")
        }
        let context = ReadContext()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { buffer.deallocate() }
        func read(at offset: Int64) throws -> [UInt8] {
            let count = try source.read(at: offset, into: buffer, context: context)
            return Array(buffer.prefix(count))
        }
        #expect(try read(at: 0) == [UInt8](repeating: 0, count: 10))
        server.slide()
        #expect(try read(at: 10) == [])
        guard case .atBreak = source.stop else {
            Issue.record("no break")
            return
        }
        #expect(source.index == 2)
        source.begin(at: source.index)
        #expect(try read(at: 0) == [UInt8](repeating: 2, count: 10))
        #expect(try read(at: 10) == [UInt8](repeating: 3, count: 10))
    }
}
