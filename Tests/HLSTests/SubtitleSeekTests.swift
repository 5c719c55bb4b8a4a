import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

@testable import HLS

/// A server of WebVTT segments that records which files are opened.
private final class SubtitleServer: MemoryServer {
    let opened = Locked([String]())
    let now: Int64 = 0

    func bytes(of location: String) -> [UInt8]? {
        opened.withLock { $0.append(location) }
        return Array("WEBVTT\n\n00:01.000 --> 00:02.000\ncue\n".utf8)
    }
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
        let server = SubtitleServer()
        let demuxers = DemuxerSet(
            OpenRequest(location: url),
            backend: FFmpegBackend(),
            resources: PresentationResources(root: try MemoryResource(server, url))
        )
        let rendition = SubtitleRendition(playlist, url: url, track: 64, zero: .zero, demuxers: demuxers)
        rendition.begin(at: .seconds(35))
        _ = try rendition.peek(ReadContext())
        #expect(server.opened.withLock { $0 } == [url, "https://host.test/w\(expected).vtt"])
    }
}
