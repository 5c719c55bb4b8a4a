import FFmpeg
import MediaCore
import PlayheadBackend
import Testing

@testable import HLS

/// A server of WebVTT segments that records which files are opened.
private final class SubtitleServer: MemoryServer {
    let opened = Locked([String]())
    let now: Int64 = 0
    /// The actual duration of the segments in seconds. Each has a cue from 1 s to 2 s after its start.
    private let duration: Int
    /// A text that all segments have instead, or nil.
    private let text: String?

    init(duration: Int = 0, text: String? = nil) {
        self.duration = duration
        self.text = text
    }

    func bytes(of location: String) -> [UInt8]? {
        opened.withLock { $0.append(location) }
        if let text { return Array(text.utf8) }
        let number = Int(location.filter(\.isNumber)) ?? 0
        let (start, end) = (10 + number * duration + 1, 10 + number * duration + 2)
        return Array("WEBVTT\n\n00:\(start).000 --> 00:\(end).000\ncue\n".utf8)
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

    @Test("Progress follows the cues if the declared durations are too long")
    func progress() throws {
        let server = SubtitleServer(duration: 5)
        let rendition = try open(server, end: "#EXT-X-ENDLIST\n")
        var cues: [Double] = []
        var ends: [Double] = []
        while case .ready(let packet?) = try rendition.peek(ReadContext()) {
            let time = packet.presentationTime?.seconds ?? .nan
            if packet.payload is ProgressMarkerPayload { ends.append(time) } else { cues.append(time) }
            rendition.dequeue()
        }
        #expect(cues == [11, 16, 21, 26, 31, 36])
        // Each segment of 10 s begins before its cue ends.
        #expect(ends == [10, 20, 30, 37, 42, 47])
    }

    @Test("The time for a segment is proportional to the number of its cues", .timeLimit(.minutes(10)))
    func manyCues() throws {
        func digits(_ value: Int, _ count: Int) -> String { String(String(1000 + value).suffix(count)) }
        // One cue each 5 ms.
        let cues = (0..<120_000).map { index in
            let minutes = digits(index / 12_000, 2)
            let start = "\(minutes):\(digits(index / 200 % 60, 2)).\(digits(index % 200 * 5, 3))"
            return "\(start) --> 10:00.000\n.\n\n"
        }
        let server = SubtitleServer(text: "WEBVTT\n\n" + cues.joined())
        let rendition = try open(server, end: "#EXT-X-ENDLIST\n")
        var count = 0
        while case .ready(let packet?) = try rendition.peek(ReadContext()),
            !(packet.payload is ProgressMarkerPayload)
        {
            count += 1
            rendition.dequeue()
        }
        #expect(count == cues.count)
    }

    private func expectFirstSegment(
        _ expected: Int,
        head: String = "",
        end: String,
        target: Double,
        window: LiveWindow? = nil
    ) throws {
        let server = SubtitleServer()
        let rendition = try open(server, head: head, end: end, window: window)
        rendition.begin(at: .seconds(target))
        _ = try rendition.peek(ReadContext())
        #expect(server.opened.withLock { $0 } == [Self.url, "https://host.test/w\(expected).vtt"])
    }

    private static let url = "https://host.test/words.m3u8"

    /// Opens a playlist with six segments of 10 s.
    private func open(
        _ server: SubtitleServer,
        head: String = "",
        end: String,
        window: LiveWindow? = nil
    ) throws -> SubtitleRendition {
        let url = Self.url
        let segments = (0..<6).map { "#EXTINF:10,\nw\($0).vtt\n" }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n\(head)\(segments)\(end)"
        let parsed = try PlaylistParser.parse(Array(text.utf8), at: url, limits: PlaylistLimits())
        guard case .media(let playlist) = parsed else { throw MediaError(.io, "not a media playlist") }
        let resources = PresentationResources(root: try MemoryResource(server, url))
        if let window { resources.setLiveWindow(window) }
        let demuxers = DemuxerSet(
            OpenRequest(location: url),
            backend: FFmpegBackend(),
            resources: resources
        )
        return SubtitleRendition(playlist, url: url, track: 64, zero: .zero, demuxers: demuxers)
    }
}
