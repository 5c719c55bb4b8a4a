import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

@testable import HLS

// Rule: hls-subtitles
/// Subtitle renditions from a server.
@Suite("HLS: subtitles", .enabled(if: Fixture.areThere, "make fixtures"), .timeLimit(.minutes(10)))
struct ServedSubtitleTests {
    private struct Cue: Hashable, Sendable {
        var text: String
        /// The start in milliseconds of item time.
        var start: Int64
        var end: Int64
        /// The time of delivery.
        var told: Int64
    }

    /// The transport streams of FFmpeg begin at 1.4 s.
    private static let map = "X-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00:00.000\n"
    private static let segments = [
        "WEBVTT\n\(map)\n00:00.100 --> 00:00.500\none\n\n00:00.900 --> 00:01.300\nacross\n",
        "WEBVTT\n\(map)\n00:00.900 --> 00:01.300\nacross\n\n1\n00:01.500 --> 00:01.900 line:0\n<b>two</b>\n",
        // These times have another offset.
        "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:10.000,MPEGTS:306000\n\n00:00:10.200 --> 00:00:10.400\nthree\n",
    ]
    private static let all = [
        ("one", 100, 500), ("across", 900, 1300), ("two", 1500, 1900), ("three", 2200, 2400),
    ]

    private func serve(
        _ segments: [String] = segments,
        change: @escaping @Sendable (FaultServer.Request, inout FaultServer.Answer) -> Void = { _, _ in }
    ) throws -> ServedFolder {
        let folder = try Presentation.folder("ts")
        var files = try ServedFolder.files(folder.url)
        let lines = segments.indices.map { "#EXTINF:1,\nw\($0).vtt\n" }.joined()
        files["/words.m3u8"] = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(lines)#EXT-X-ENDLIST\n".utf8)
        for (index, text) in segments.enumerated() { files["/w\(index).vtt"] = Array(text.utf8) }
        let master = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="w",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="words.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=900000,SUBTITLES="w"
            list.m3u8

            """
        files["/master.m3u8"] = Array(master.utf8)
        return try ServedFolder(files, change: change)
    }

    private struct Told {
        var cues: [Cue] = []
        var frames = 0
        var faults: [String] = []
    }

    private func play(_ served: ServedFolder, selects: Bool = true, from start: MediaTime? = nil)
        async throws -> Told
    {
        let asset = try served.asset("/master.m3u8")
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let frames = Locked(0)
        let layer = PlayerLayer(player: player)
        layer.add(CallbackVideoSink { _ in frames.withLock { $0 += 1 } })
        let item = PlayerItem(asset: asset)
        let output = LegibleOutput()
        let cues = Locked([Cue]())
        output.setHandler { notice in
            guard case .cues(let new, let time) = notice else { return }
            let told = (time.nanoseconds ?? 0) / 1_000_000
            cues.withLock { cues in
                cues += new.map { cue in
                    let ends = [cue.timeRange.start, cue.timeRange.end].map {
                        ($0.nanoseconds ?? 0) / 1_000_000
                    }
                    return Cue(text: cue.text, start: ends[0], end: ends[1], told: told)
                }
            }
        }
        item.add(output)
        if selects {
            // The second track of the playlist, by its ID.
            item.selectTrack(64, ofType: .subtitle)
        }
        if let start {
            item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: nil)
        }
        var result = Told()
        let events = player.events
        player.play()
        player.replaceCurrentItem(with: item)
        listening: for await event in events {
            switch event {
            case .didPlayToEndTime, .failedToPlayToEndTime, .itemStatusChanged(_, .failed): break listening
            case .errorLogEntry(_, let entry): result.faults.append(entry.error.message)
            default: break
            }
        }
        await player.shutdown()
        result.frames = withExtendedLifetime((layer, output)) { frames.withLock { $0 } }
        result.cues = cues.withLock { $0 }
        return result
    }

    /// Returns the difference between item time and the container time 1.4 s.
    private func lag(_ served: ServedFolder) async throws -> Int64 {
        let asset = try served.asset("/master.m3u8")
        try await asset.load()
        let zero = try #require(asset.media?.startTime.nanoseconds)
        return 1400 - (zero + 500_000) / 1_000_000
    }

    @Test(
        "Each cue is delivered once when it is due, also if two segments contain it, with times mapped by its segment"
    )
    func cues() async throws {
        let served = try serve()
        let told = try await play(served)
        let lag = try await lag(served)
        #expect((0...30).contains(lag))
        #expect(told.frames == 90)
        #expect(told.faults == [])
        #expect(told.cues.map(\.text) == Self.all.map(\.0))
        for (cue, expected) in zip(told.cues, Self.all) {
            #expect(abs(cue.start - (Int64(expected.1) + lag)) <= 1, "\(cue)")
            #expect(cue.end - cue.start == Int64(expected.2 - expected.1), "\(cue)")
            #expect(cue.told == cue.start, "\(cue)")
        }
    }

    @Test("Subtitles are fetched only if they are selected, and then once")
    func requests() async throws {
        let served = try serve()
        let silent = try await play(served, selects: false)
        #expect(silent.cues == [] && silent.frames == 90)
        #expect(!served.paths.contains { $0.contains("w") }, "\(served.paths)")
        let other = try serve()
        _ = try await play(other)
        let expected =
            ["/master.m3u8", "/list.m3u8", "/0.ts", "/1.ts", "/2.ts"] + ["/words.m3u8"]
            + (0..<3).map { "/w\($0).vtt" }
        #expect(other.paths.sorted() == expected.sorted())
    }

    @Test("Cues are also read of an asset whose media nothing else opens")
    func unopenedAsset() async throws {
        let served = try serve()
        let loaded = try served.asset("/master.m3u8")
        try await loaded.load()
        let track = try #require(loaded.tracks.first { $0.mediaType == .subtitle })
        let cues = try await served.asset("/master.m3u8").cues(of: track)
        #expect(cues.map(\.text) == Self.all.map(\.0))
        #expect(try await loaded.cues(of: track) == cues)
    }

    @Test("A segment with a style sheet and a region delivers all of its cues")
    func styles() async throws {
        let blocks = "STYLE\n::cue { color: red }\n\nREGION\nid:a\n\n"
        let cue = "00:00.100 --> 00:00.500\none\n\n"
        let styled = "WEBVTT\n\(Self.map)\n\(blocks)\(cue)\(blocks)00:00.900 --> 00:01.300\nacross\n"
        let told = try await play(try serve([styled] + Self.segments.dropFirst()))
        #expect(told.cues.map(\.text) == Self.all.map(\.0))
        #expect(told.faults == [])
    }

    @Test("After a seek the cues that are due there are delivered")
    func seek() async throws {
        let told = try await play(try serve(), from: MediaTime(value: 1200, timescale: 1000))
        #expect(told.cues.map(\.text) == ["across", "two", "three"])
    }

    @Test("A subtitle segment that is missing, empty or invalid does not affect the others or the film")
    func faults() async throws {
        let lost = try serve { request, answer in
            if request.path == "/w1.vtt" { answer = FaultServer.Answer(404) }
        }
        var told = try await play(lost)
        #expect(told.cues.map(\.text) == ["one", "across", "three"])
        #expect(told.frames == 90)
        #expect(told.faults.count == 1 && told.faults[0].contains("subtitle segment 1"), "\(told.faults)")
        told = try await play(try serve([Self.segments[0], "WEBVTT\n\(Self.map)\n", Self.segments[2]]))
        #expect(told.cues.map(\.text) == ["one", "across", "three"])
        #expect(told.faults == [])
        told = try await play(try serve([Self.segments[0], "<html>no</html>", Self.segments[2]]))
        #expect(told.cues.map(\.text) == ["one", "across", "three"])
        #expect(told.faults.count == 1 && told.faults[0].contains("not WebVTT"), "\(told.faults)")
    }

    @Test(
        "Timestamp maps of all kinds are parsed",
        arguments: [
            ("MPEGTS:126000,LOCAL:00:00:00.000", 126_000), ("LOCAL:00:00:01.000,MPEGTS:216000", 126_000),
            ("MPEGTS:0,LOCAL:01:00.500", -5_445_000), ("MPEGTS:900000", 900_000), ("LOCAL:nonsense", 0),
            ("MPEGTS:99999999999999999999", 0), ("LOCAL:99999999:99999999:99.9,MPEGTS:7", 7), ("", 0),
            ("::,,:", 0),
        ] as [(String, Int64)]
    )
    func maps(_ map: String, _ offset: Int64) throws {
        let segment = try SubtitleSegment(Array("WEBVTT\r\nX-TIMESTAMP-MAP=\(map)\r\n\r\n".utf8))
        #expect(segment.offset == offset)
        #expect(!segment.hasCues)
    }

    @Test("Timestamps that have wrapped around follow those before")
    func wrapped() throws {
        let segment = try SubtitleSegment(
            Array("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00.000\n\n".utf8)
        )
        let before = MediaTime(value: (1 << 33) - 90_000, timescale: 90_000)
        #expect(segment.shift(near: before) == MediaTime(value: (1 << 33) + 90_000, timescale: 90_000))
        #expect(segment.shift(near: .zero) == MediaTime(value: 1, timescale: 1))
    }

    @Test(
        "The first cue selects the cycle, whether cues are timed from the segment or the presentation",
        arguments: [
            // The timestamp in seconds, the first cue, the expected start in seconds, and the cycles.
            (10, "00:00.500", 10, 0), (10, "00:00.500", 95_453, 1), (10, "00:00.500", 286_341, 3),
            (10, "30:00:00.000", 108_010, 0), (10, "100:00:00.000", 360_010, 0), (95_440, "00:00.500", 0, -1),
        ] as [(Int64, String, Double, Int64)]
    )
    func cycles(stamp: Int64, cue: String, expected: Double, cycles: Int64) throws {
        let map = "X-TIMESTAMP-MAP=MPEGTS:\(stamp * 90_000),LOCAL:00:00.000"
        let segment = try SubtitleSegment(Array("WEBVTT\n\(map)\n\n\(cue) --> 999:00:00.000\n.\n".utf8))
        #expect(segment.hasCues)
        let shift = MediaTime(value: stamp * 90_000 + cycles << 33, timescale: 90_000)
        #expect(segment.shift(near: .seconds(expected)) == shift)
    }
}
