import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

@testable import HLS

/// A server of WebVTT segments that records which of them are read.
private final class SubtitleServer: ResourceByteSource {
    let location: String
    let isFile = false
    let isSeekable = true
    let isReusable = true
    let receivedBytes: Int64 = 0
    let now: Int64 = 0
    private let opened: Locked<[String]>
    private static let bytes = Array("WEBVTT\n\n00:01.000 --> 00:02.000\ncue\n".utf8)
    var byteCount: Int64? { Int64(Self.bytes.count) }

    init(_ location: String, opened: Locked<[String]>) {
        self.location = location
        self.opened = opened
    }

    func openReferenced(_ reference: String, cachePolicy: CachePolicy, validatedAfter: Int64)
        throws(MediaError) -> any ResourceByteSource
    {
        opened.withLock { $0.append(reference) }
        return SubtitleServer(reference, opened: opened)
    }
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        let part = Self.bytes.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
    func removeReader(_ context: ReadContext) {}
    func setVolatile() {}
    func wake(_ context: ReadContext, after delay: Int64) {}
    func cancel() {}
}

@Suite("HLS: seeks in subtitle playlists")
struct SubtitleSeekTests {
    @Test(
        "Reading begins at the target, unless segments are removed from a live playlist",
        arguments: [
            ("#EXT-X-PLAYLIST-TYPE:EVENT\n", "", 3), ("#EXT-X-PLAYLIST-TYPE:EVENT\n", "#EXT-X-ENDLIST\n", 3),
            ("", "#EXT-X-ENDLIST\n", 3), ("", "", 0),
        ]
    )
    func firstSegment(head: String, end: String, expected: Int) throws {
        let url = "https://host.test/words.m3u8"
        let segments = (0..<6).map { "#EXTINF:10,\nw\($0).vtt\n" }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n\(head)\(segments)\(end)"
        let parsed = try PlaylistParser.parse(Array(text.utf8), at: url, limits: PlaylistLimits())
        guard case .media(let playlist) = parsed else {
            Issue.record("not a media playlist")
            return
        }
        let opened = Locked([String]())
        let demuxers = DemuxerSet(
            OpenRequest(location: url),
            backend: FFmpegBackend(),
            resources: PresentationResources(root: SubtitleServer(url, opened: opened))
        )
        let rendition = SubtitleRendition(playlist, url: url, track: 64, zero: .zero, demuxers: demuxers)
        rendition.begin(at: .seconds(35))
        _ = try rendition.peek(ReadContext())
        #expect(opened.withLock { $0 } == ["https://host.test/w\(expected).vtt"])
    }
}
