import Foundation
import Glibc
import MediaCore
import Testing

@testable import HLS

/// The cost of a playlist is proportional to its size, whatever its content. The sizes are large enough for clear
/// results and far below the limits.
@Suite("HLS: cost of hostile playlists", .serialized)
struct HostilePlaylistTests {
    /// A URL of almost the maximum length.
    private static let longBase = "http://host.test/" + String(repeating: "x", count: 60_000) + "/list.m3u8"

    private func parse(_ text: String, at base: String = "http://host.test/list.m3u8") throws(MediaError)
        -> Playlist
    {
        try PlaylistParser.parse(Array(text.utf8), at: base)
    }

    private func segments(_ count: Int, duration: String = "1") -> String {
        String(repeating: "#EXTINF:\(duration)\na\n", count: count)
    }

    /// Returns the CPU time of this thread, which does not depend on the load of the machine.
    private func cost(_ body: () throws -> Void) rethrows -> Double {
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        try body()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
    }

    /// Returns the factor by which the cost grows when `size` is four times as large: 4 if it is linear, 16 if it is
    /// quadratic.
    private func growth(_ size: Int, _ body: (Int) throws -> Void) rethrows -> Double {
        let small = try (0..<3).map { _ in try cost { try body(size) } }.min() ?? 0
        let large = try (0..<2).map { _ in try cost { try body(4 * size) } }.min() ?? 0
        return large / small
    }

    /// Returns the resident memory of this process in bytes.
    private func residentBytes() throws -> Int {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/statm"))
        let fields = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: " ")
        return (Int(fields[1]) ?? 0) * Int(getpagesize())
    }

    @Test(
        "The URL of a playlist is stored once, however many URIs are relative to it",
        arguments: [
            "#EXTINF:1\na\n", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:1\na\n",
            "#EXT-X-MAP:URI=\"m\"\n#EXTINF:1\na\n", "#EXTINF:1\n#EXT-X-BYTERANGE:1@0\n/a/../b\n",
        ]
    )
    func memory(_ lines: String) throws {
        let text = "#EXTM3U\n" + String(repeating: lines, count: 10_000)
        // Resolved URLs would use 600 MB or more each time. Other tests may also allocate memory meanwhile, so a second
        // attempt is made, and the result of the first one is kept.
        var playlists: [Playlist] = []
        var growth = Int.max
        while growth >= 100 << 20, playlists.count < 2 {
            let before = try residentBytes()
            playlists.append(try parse(text, at: Self.longBase))
            growth = try residentBytes() - before
        }
        #expect(growth < 100 << 20)
        guard case .media(let media)? = playlists.last else {
            Issue.record("no media playlist")
            return
        }
        let last = try #require(media.segments.last)
        #expect(last.resource.url == Self.longBase.replacing("list.m3u8", with: "a") || lines.contains("/b"))
        #expect(media.segments.count == 10_000)
    }

    @Test("Variant streams and renditions whose URLs exceed the total length limit are rejected")
    func urlBytes() throws {
        let variants = String(repeating: "#EXT-X-STREAM-INF:BANDWIDTH=1\nv\n", count: 500)
        let renditions = String(
            repeating: "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",URI=\"a\"\n",
            count: 500
        )
        _ = try parse("#EXTM3U\n" + renditions + variants)
        for text in [variants, renditions + "#EXT-X-STREAM-INF:BANDWIDTH=1\nv\n"] {
            let error = #expect(throws: MediaError.self) { try parse("#EXTM3U\n" + text, at: Self.longBase) }
            #expect(error?.code == .exceedsLimits)
            #expect(error?.message.contains("16 MiB together") == true)
        }
    }

    @Test("More pairs of a variant stream and an audio rendition than the limit are rejected")
    func pairs() throws {
        func master(_ count: Int) -> String {
            (0..<count).reduce("#EXTM3U\n") { $0 + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",URI=\"a\($1)\"\n" }
                + (0..<count).reduce("") { $0 + "#EXT-X-STREAM-INF:BANDWIDTH=\($1),AUDIO=\"a\"\nv\($1)\n" }
        }
        _ = try parse(master(300))
        let error = #expect(throws: MediaError.self) { try parse(master(400)) }
        #expect(error?.code == .exceedsLimits)
    }

    @Test("The cost of keys is linear")
    func keys() throws {
        let growth = try growth(2000) { count in
            let text = "#EXTM3U\n" + String(repeating: "#EXT-X-KEY:\n", count: count) + segments(count)
            _ = try parse(text)
        }
        #expect(growth < 9)
    }

    @Test("Of several sources of a key the last supported one is used, or otherwise the first one")
    func keyChoice() throws {
        let other = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"x\"\n"
        let two = "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k2\"\n"
        let text = "#EXTM3U\n" + other + two + segments(2) + other + segments(1)
        guard case .media(let media) = try parse(text) else {
            Issue.record("no media playlist")
            return
        }
        let key = PlaylistKey.aes128(
            url: try PlaylistReference("k2", PlaylistBase("http://host.test/")),
            iv: nil
        )
        #expect(media.segments.map(\.key) == [key, key, .unsupported("SAMPLE-AES")])
    }

    @Test("The cost of describing variant streams is proportional to their tracks")
    func variants() throws {
        // Each variant stream has all renditions, so four times as many of both are sixteen times as many pairs.
        let growth = growth(40) { count in
            let master = MasterPlaylist(
                variants: (0..<count).map {
                    var variant = MasterPlaylist.Variant(url: "http://host.test/v\($0)", peakBitRate: 1)
                    variant.audioGroup = "a"
                    return variant
                },
                renditions: (0..<count).map {
                    MasterPlaylist.Rendition(
                        kind: .audio,
                        group: "a",
                        name: "",
                        url: "http://host.test/a\($0)"
                    )
                }
            )
            let presentation = HLSPresentation(master)
            #expect(master.variants.allSatisfy { presentation.entries(of: $0).count == count + 1 })
        }
        #expect(growth < 32)
    }

    @Test("The codecs of an audio group are determined once, however many renditions it has")
    func codecs() throws {
        let growth = growth(100) { count in
            var variant = MasterPlaylist.Variant(url: "http://host.test/v", peakBitRate: 1)
            variant.audioGroup = "a"
            variant.codecs = [String](repeating: "avc1", count: 10 * count)
            let renditions = (0..<count).map {
                MasterPlaylist.Rendition(kind: .audio, group: "a", name: "", url: "http://host.test/a\($0)")
            }
            let presentation = HLSPresentation(MasterPlaylist(variants: [variant], renditions: renditions))
            #expect(presentation.entries.last?.declaredTracks.map(\.codec) == ["aac"])
        }
        #expect(growth < 9)
    }

    @Test("The start of a segment is found without adding up those before it")
    func starts() throws {
        let resources = PresentationResources(root: UnreachableResource(location: Self.longBase))
        let growth = try growth(2000) { count in
            let text = "#EXTM3U\n" + segments(count, duration: "0.000005") + "#EXT-X-ENDLIST\n"
            guard case .media(let media) = try parse(text) else { return }
            let tracker = MediaPlaylistTracker(
                media,
                url: "http://host.test/list.m3u8",
                resources: resources
            )
            for index in 0...count { #expect(tracker.start(of: index) == Int64(index) * 5) }
            #expect(tracker.start(of: -1) == 0)
            #expect(tracker.start(of: .max) == Int64(count) * 5)
        }
        #expect(growth < 9)
    }

    @Test("Sequence numbers that jump again and again do not overflow the count of removed segments")
    func removedSegments() throws {
        func live(_ sequence: Int64?) throws -> MediaPlaylist {
            let segment = sequence.map { "#EXT-X-MEDIA-SEQUENCE:\($0)\n#EXT-X-GAP\n#EXTINF:1\na\n" } ?? ""
            guard case .media(let media) = try parse("#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + segment) else {
                throw MediaError(.io, "not a media playlist")
            }
            return media
        }
        let resources = PresentationResources(root: UnreachableResource(location: Self.longBase))
        var tracker = MediaPlaylistTracker(
            try live(0),
            url: "http://host.test/list.m3u8",
            resources: resources
        )
        for _ in 0..<10 {
            for sequence: Int64? in [0, (1 << 60) - 1, nil] { try tracker.apply(live(sequence)) }
        }
        #expect(tracker.removedCount == .max)
        #expect(tracker.start(of: 0) >= 0 && tracker.segment(0) == nil)
    }
}
