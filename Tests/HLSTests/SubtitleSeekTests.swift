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
        try expectFirstSegment(expected, head: head, end: end, target: 35)
    }

    @Test(
        "If segments are removed, reading begins three target durations before the target by the published window",
        arguments: [("", 155, 2), ("", 135, 0), ("#EXT-X-ENDLIST\n", 155, 2), ("#EXT-X-ENDLIST\n", 135, 0)]
            as [(String, Double, Int)]
    )
    func published(end: String, target: Double, expected: Int) throws {
        let window = LiveWindow(
            range: MediaTimeRange(start: .seconds(100), end: .seconds(160)),
            slides: true,
            hasEnded: !end.isEmpty,
            targetDuration: .seconds(10),
            recommendedOffset: .seconds(30),
            updateTime: 0
        )
        try expectFirstSegment(expected, end: end, target: target, window: window)
    }

    private func expectFirstSegment(
        _ expected: Int,
        head: String = "",
        end: String,
        target: Double,
        window: LiveWindow? = nil
    ) throws {
        let url = "https://host.test/words.m3u8"
        let segments = (0..<6).map { "#EXTINF:10,\nw\($0).vtt\n" }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n\(head)\(segments)\(end)"
        let parsed = try PlaylistParser.parse(Array(text.utf8), at: url, limits: PlaylistLimits())
        guard case .media(let playlist) = parsed else {
            Issue.record("not a media playlist")
            return
        }
        let server = SubtitleServer()
        let resources = PresentationResources(root: try MemoryResource(server, url))
        if let window { resources.setLiveWindow(window) }
        let demuxers = DemuxerSet(
            OpenRequest(location: url),
            backend: FFmpegBackend(),
            resources: resources
        )
        let rendition = SubtitleRendition(playlist, url: url, track: 64, zero: .zero, demuxers: demuxers)
        rendition.begin(at: .seconds(target))
        _ = try rendition.peek(ReadContext())
        #expect(server.opened.withLock { $0 } == [url, "https://host.test/w\(expected).vtt"])
    }
}
