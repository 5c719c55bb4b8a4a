import MediaCore
import Testing

@testable import HLS

// Rule: hls-hosts
@Suite("HLS: playlist parser")
struct ParserTests {
    private static let base = "https://host.test/films/one/master.m3u8?token=1"

    private func parse(_ lines: String, limits: PlaylistLimits = PlaylistLimits()) throws(MediaError)
        -> Playlist
    {
        try PlaylistParser.parse(Array(lines.utf8), at: Self.base, limits: limits)
    }

    private func media(_ lines: String) throws -> MediaPlaylist {
        guard case .media(let playlist) = try parse(lines) else { throw Wrong.kind }
        return playlist
    }

    private func master(_ lines: String) throws -> MasterPlaylist {
        guard case .master(let playlist) = try parse(lines) else { throw Wrong.kind }
        return playlist
    }

    private enum Wrong: Error { case kind }

    @Test("A master playlist has variant streams and renditions")
    func variants() throws {
        let playlist = try master(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English, stereo",LANGUAGE="en",DEFAULT=YES,URI="en/a.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",AUTOSELECT=YES,URI="/de.m3u8",CHANNELS="6/x"
            #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC",INSTREAM-ID="CC1"
            #EXT-X-STREAM-INF:BANDWIDTH=1280000,AVERAGE-BANDWIDTH=1000000,RESOLUTION=640x360,CODECS="avc1.4d401f, mp4a.40.2",AUDIO="a",FRAME-RATE=29.97
            low.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=86000,URI="i.m3u8"

            #EXT-X-STREAM-INF:BANDWIDTH=65000
            //cdn.test/high.m3u8

            """
        )
        #expect(
            playlist.variants.map(\.url) == [
                "https://host.test/films/one/low.m3u8", "https://cdn.test/high.m3u8",
            ]
        )
        let low = playlist.variants[0]
        #expect((low.peakBitRate, low.averageBitRate) == (1_280_000, 1_000_000))
        #expect((low.width, low.height) == (640, 360))
        #expect(low.codecs == ["avc1.4d401f", "mp4a.40.2"])
        #expect(low.audioGroup == "a")
        #expect(low.frameRate == 29.97)
        #expect(playlist.renditions.map(\.kind) == [.audio, .audio, .closedCaptions])
        #expect(playlist.renditions[0].name == "English, stereo")
        #expect(playlist.renditions[0].url == "https://host.test/films/one/en/a.m3u8")
        #expect(playlist.renditions.map(\.isDefault) == [true, false, false])
        #expect(playlist.renditions.map(\.isAutomatic) == [true, true, false])
        #expect(playlist.renditions[1].url == "https://host.test/de.m3u8")
        #expect(playlist.renditions[1].channelCount == 6)
        #expect(playlist.renditions[2].url == nil)
    }

    @Test(
        "Media segments have durations, byte ranges, maps, keys, discontinuities, gaps and sequence numbers"
    )
    func segments() throws {
        let playlist = try media(
            "#EXTM3U\r\n#EXT-X-TARGETDURATION:6\r\n#EXT-X-MEDIA-SEQUENCE:7\r\n#EXT-X-DISCONTINUITY-SEQUENCE:3\r\n"
                + "#EXT-X-MAP:URI=\"init.mp4\",BYTERANGE=\"720@10\"\r\n"
                + "#EXTINF:5.994,title, with a comma\r\n#EXT-X-BYTERANGE:1000@730\r\nall.mp4\r\n"
                + "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\",IV=0xAB\r\n#EXTINF:6\r\n#EXT-X-BYTERANGE:500\r\nall.mp4\r\n"
                + "#EXT-X-DISCONTINUITY\r\n#EXT-X-KEY:METHOD=NONE\r\n#EXT-X-GAP\r\n#EXTINF:0.5,\r\nb.ts\r\n"
                + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple\"\r\n"
                + "#EXT-X-KEY:METHOD=AES-128,URI=\"k2\"\r\n#EXTINF:1,\r\nc.ts\r\n"
                + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"x\"\r\n#EXTINF:1,\r\nd.ts\r\n#EXT-X-ENDLIST"
        )
        #expect(playlist.hasEnded)
        #expect(playlist.kind == .vod)
        #expect(playlist.targetDuration == 6_000_000)
        #expect(playlist.duration == 14_494_000)
        #expect(playlist.segments.map(\.sequence) == [7, 8, 9, 10, 11])
        #expect(playlist.segments.map(\.discontinuity) == [3, 3, 4, 4, 4])
        #expect(playlist.segments.map(\.resource.range) == [730..<1730, 1730..<2230, nil, nil, nil])
        #expect(playlist.segments.allSatisfy { $0.map?.range == 10..<730 })
        let iv = [UInt8](repeating: 0, count: 15) + [0xAB]
        let place = PlaylistBase("https://host.test/")
        func key(_ name: String) throws -> PlaylistReference {
            try PlaylistReference("films/one/" + name, place)
        }
        #expect(playlist.segments[0].key == nil)
        #expect(playlist.segments[1].key == .aes128(url: try key("k1"), iv: iv))
        #expect(playlist.segments[2].key == nil)
        #expect(playlist.segments[2].isGap)
        // One of two sources of a key is enough.
        #expect(playlist.segments[3].key == .aes128(url: try key("k2"), iv: nil))
        #expect(playlist.segments[4].key == .unsupported("SAMPLE-AES"))
    }

    @Test(
        "The playlist type and the end tag determine the kind",
        arguments: [("", MediaPlaylist.Kind.live), ("EVENT", .event), ("VOD", .vod)]
    )
    func kinds(_ type: String, _ kind: MediaPlaylist.Kind) throws {
        let tag = type.isEmpty ? "" : "#EXT-X-PLAYLIST-TYPE:\(type)\n"
        let playlist = try media("#EXTM3U\n\(tag)#EXT-X-START:TIME-OFFSET=-4.5\n#EXTINF:2,\na.ts\n")
        #expect(playlist.kind == kind)
        // A VOD playlist does not change, so it is complete.
        #expect(playlist.hasEnded == (kind == .vod))
        #expect(playlist.start == PlaylistStart(offset: -4_500_000, isPrecise: false))
        #expect(playlist.targetDuration == 2_000_000)
    }

    @Test(
        "Both kinds of playlists can declare a preferred start, exact or not",
        arguments: [
            ("TIME-OFFSET=-4.5", -4_500_000, false), ("TIME-OFFSET=12,PRECISE=YES", 12_000_000, true),
            ("PRECISE=NO,TIME-OFFSET=0.25", 250_000, false), ("TIME-OFFSET=1e300", .max, false),
            ("PRECISE=YES", nil, false), ("TIME-OFFSET=nan", nil, false),
        ] as [(String, Int64?, Bool)]
    )
    func preferredStart(attributes: String, offset: Int64?, isPrecise: Bool) throws {
        let start = offset.map { PlaylistStart(offset: $0, isPrecise: isPrecise) }
        let head = "#EXTM3U\n#EXT-X-START:\(attributes)\n"
        #expect(try media(head + "#EXTINF:2,\na.ts\n").start == start)
        #expect(try master(head + "#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n").start == start)
    }

    @Test(
        "Invalid tags are errors with a line number",
        arguments: [
            ("", "empty"), ("#EXTM3UX\n", "begin with #EXTM3U"),
            ("#EXTM3U\na.ts\n", "playlist line 2"),
            ("#EXTM3U\n#EXTINF:x,\na.ts", "invalid duration"),
            ("#EXTM3U\n#EXTINF:-1,\na.ts", "invalid duration"),
            ("#EXTM3U\n#EXTINF:nan,\na.ts", "invalid duration"),
            ("#EXTM3U\n#EXTINF:1e300,\na.ts", "invalid duration"),
            ("#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:5\na.ts", "byte range without an offset"),
            ("#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:0@5\na.ts", "empty"),
            (
                "#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:9223372036854775807@5\na.ts",
                "invalid or too large number"
            ),
            ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128\n", "without URI"),
            ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0xQ\n", "128 bits"),
            ("#EXTM3U\n#EXT-X-MAP:BYTERANGE=\"1@0\"\n", "without URI"),
            ("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:-1\n", "invalid or too large number"),
            ("#EXTM3U\n#EXT-X-I-FRAMES-ONLY\n", "I-frames only"),
            (
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na\n#EXTINF:1,\nb\n",
                "both variant streams and media segments"
            ),
        ]
    )
    func flaws(_ text: String, _ phrase: String) throws {
        let error = try #require(throws: MediaError.self) { try parse(text) }
        #expect(error.message.contains(phrase), "\(error.message)")
    }

    @Test(
        "URIs may only refer to http and https",
        arguments: [
            ("file:///etc/passwd", "scheme file"), ("data:text/plain,x", "scheme data"),
            ("concat:http://a/b", "scheme concat"), ("ftp://a/b", "scheme ftp"),
            ("http://host.test/a.ts", "from https to http"), ("https:///a.ts", "URI without a host"),
            ("subfile,,start,0,end,1,,:http://a/b", ""), ("crypto+file:///x", "scheme crypto"),
        ]
    )
    func addresses(_ url: String, _ phrase: String) throws {
        for text in [
            "#EXTM3U\n#EXTINF:1,\n\(url)\n", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(url)\n",
            "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"\(url)\"\n", "#EXTM3U\n#EXT-X-MAP:URI=\"\(url)\"\n",
        ] {
            do throws(MediaError) {
                let playlist = try parse(text)
                // A URI with commas may be a file name next to the playlist, and nothing else.
                #expect("\(playlist)".contains("https://host.test/films/one/subfile"))
            } catch {
                #expect(error.code == .forbidden || error.code == .unrecognizedFormat)
                #expect(error.message.contains(phrase), "\(error.message)")
            }
        }
    }

    @Test(
        "References of a local playlist are paths relative to its folder, or URLs that are left as they are",
        arguments: [
            ("/a b/list.m3u8", "c d#e?f%20.ts", "/a b/c d#e?f%20.ts"), ("list.m3u8", "a.ts", "./a.ts"),
            ("/a/list.m3u8", "/b/a.ts", "/b/a.ts"), ("/a/list.m3u8", "b/a:b.ts", "/a/b/a:b.ts"),
            ("/a/list.m3u8", "file:///b/a.ts", "file:///b/a.ts"), ("/a/list.m3u8", "../a.ts", "/a/../a.ts"),
            ("/a/list.m3u8", "http://host/a.ts", "http://host/a.ts"), ("/list.m3u8", "a.ts", "/a.ts"),
        ]
    )
    func localReferences(_ base: String, _ reference: String, _ path: String) throws {
        let text = "#EXTM3U\n#EXTINF:1,\n\(reference)\n"
        guard case .media(let media) = try PlaylistParser.parse(Array(text.utf8), at: base) else {
            Issue.record("not a media playlist")
            return
        }
        #expect(media.segments.map(\.resource.url) == [path])
    }

    @Test("A key that follows the URI of a segment is not an alternative of the key before it")
    func keyAfterSegment() throws {
        let playlist = try media(
            """
            #EXTM3U
            #EXTINF:1
            #EXT-X-KEY:METHOD=AES-128,URI="k1"
            one
            #EXT-X-KEY:METHOD=AES-128,URI="k2"
            #EXTINF:1
            two
            """
        )
        let urls = playlist.segments.map { segment -> String? in
            if case .aes128(let reference, _) = segment.key { reference.text } else { nil }
        }
        #expect(urls == ["k1", "k2"])
    }

    @Test(
        "Of adjacent keys of the same format the last one applies, also if that is none",
        arguments: [
            (["METHOD=AES-128,URI=\"k1\"", "METHOD=AES-128,URI=\"k2\""], "k2"),
            (["METHOD=AES-128,URI=\"k1\"", "METHOD=NONE"], nil),
            (["METHOD=NONE", "METHOD=AES-128,URI=\"k1\""], "k1"),
            (["METHOD=AES-128,URI=\"k1\"", "METHOD=SAMPLE-AES,URI=\"k2\",KEYFORMAT=\"com.apple\""], "k1"),
        ] as [([String], String?)]
    )
    func adjacentKeys(tags: [String], expected: String?) throws {
        let lines = tags.map { "#EXT-X-KEY:\($0)\n" }.joined()
        let segment = try #require(try media("#EXTM3U\n\(lines)#EXTINF:1,\na.ts\n").segments.first)
        let text: String? = if case .aes128(let reference, _) = segment.key { reference.text } else { nil }
        #expect(text == expected)
    }

    @Test("Playlists that exceed the limits are rejected")
    func limits() throws {
        var limits = PlaylistLimits()
        limits.variantCount = 3
        limits.segmentCount = 4
        limits.byteCount = 1000
        let variant = "#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"
        let segment = "#EXTINF:1,\na.ts\n"
        _ = try parse("#EXTM3U\n" + String(repeating: variant, count: 3), limits: limits)
        _ = try parse("#EXTM3U\n" + String(repeating: segment, count: 4), limits: limits)
        for (text, phrase) in [
            (String(repeating: variant, count: 4), "too many variants in the playlist (limit 3)"),
            (String(repeating: segment, count: 5), "too many segments in the playlist (limit 4)"),
            (String(repeating: "#", count: 1000), "playlist too large"),
        ] {
            let error = try #require(throws: MediaError.self) {
                try parse("#EXTM3U\n" + text, limits: limits)
            }
            #expect(error.code == .exceedsLimits)
            #expect(error.message.contains(phrase))
        }
    }
}
