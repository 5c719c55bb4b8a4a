import FFmpeg
import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

// Rule: hls-equivalence
/// Playback from a server is identical to playback of local files.
@Suite(
    "HLS: playing from a server",
    .enabled(if: Fixture.areThere, "make fixtures"),
    .timeLimit(.minutes(10))
)
struct ServedTests {
    @Test("Frames, samples, times and duration equal those of local files", arguments: Presentation.kinds)
    func same(_ name: String) async throws {
        let folder = try Presentation.folder(name)
        let local = await PlaybackTranscript.play(Asset(url: folder.file("list.m3u8")))
        #expect(local.ending == "end")
        #expect(local.frames.count == 90)
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        let remote = await PlaybackTranscript.play(try served.asset("/list.m3u8"))
        #expect(remote == local)
        if let file = try Presentation.writeMedia(of: name, in: folder) {
            let whole = await PlaybackTranscript.play(Asset(url: file))
            #expect(whole.frames == local.frames)
            #expect(whole.audio == local.audio)
        }
    }

    @Test("A segment can be an MP4 file of its own, and a file name can contain any characters")
    func wholeFile() async throws {
        let folder = try TemporaryFolder()
        let clip = Fixture.url("clip-h264-aac.mp4")
        try folder.write("a #b%20c?.mp4", [UInt8](try Data(contentsOf: clip)))
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\na #b%20c?.mp4\n#EXT-X-ENDLIST\n"
        try folder.write("list.m3u8", Array(list.utf8))
        let asset = Asset(url: folder.file("list.m3u8"))
        let played = await PlaybackTranscript.play(asset)
        let plain = await PlaybackTranscript.play(Asset(url: clip))
        #expect(played.frames == plain.frames)
        #expect(played.ending == "end")
        for milliseconds: Int64 in [2500, 300, 2960] {
            let time = MediaTime(value: milliseconds, timescale: 1000)
            var digests: [String] = []
            for asset in [asset, Asset(url: clip)] {
                let generator = ImageGenerator(asset: asset)
                generator.requestedTimeToleranceBefore = .zero
                generator.requestedTimeToleranceAfter = .zero
                digests.append(FrameDigest.digest(of: try await generator.image(at: time).frame))
            }
            #expect(digests[0] == digests[1], "\(milliseconds)")
        }
    }

    @Test(
        "Each seek shows the same frame as with local files",
        arguments: ["ts", "fmp4", "one fmp4 by ranges", "packed audio"]
    )
    func stills(_ name: String) async throws {
        let folder = try Presentation.folder(name)
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        let path = name == "packed audio" ? "master.m3u8" : "list.m3u8"
        let assets = [Asset(url: folder.file(path)), try served.asset("/" + path)]
        let generators = assets.map { (asset: Asset) in
            let generator = ImageGenerator(asset: asset)
            generator.requestedTimeToleranceBefore = .zero
            generator.requestedTimeToleranceAfter = .zero
            return generator
        }
        for milliseconds: Int64 in [2500, 300, 1000, 2960, 0, 1490, 1510, 33, 999, 2001] {
            let time = MediaTime(value: milliseconds, timescale: 1000)
            var digests: [String] = []
            for generator in generators {
                digests.append(FrameDigest.digest(of: try await generator.image(at: time).frame))
            }
            #expect(digests[0] == digests[1], "\(milliseconds)")
        }
    }

    @Test(
        "Two laps have the samples of two laps, and no segment is fetched twice",
        arguments: ["ts", "fmp4"]
    )
    func laps(_ name: String) async throws {
        let folder = try Presentation.folder(name)
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        let local = await Recording.play([PlayerItem(url: folder.file("list.m3u8"))], laps: 3)
        let remote = await Recording.play([PlayerItem(asset: try served.asset("/list.m3u8"))], laps: 3)
        #expect(remote.samples == local.samples)
        #expect(remote.samples.count > 3 * 130_000)
        #expect(Set(served.paths).count == served.paths.count, "\(served.paths)")
    }

    @Test(
        "Loading and the first frame need few requests",
        arguments: [
            ("ts", "/list.m3u8", 2), ("fmp4", "/list.m3u8", 3), ("five variants", "/master.m3u8", 3),
            // One more each for the second audio segment, because the first one is smaller than what libav probes.
            ("separate audio", "/master.m3u8", 6), ("separate audio of fmp4", "/master.m3u8", 8),
        ]
    )
    func requests(_ name: String, _ path: String, _ most: Int) async throws {
        let folder = try Presentation.folder(name)
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        let asset = try served.asset(path)
        try await asset.load()
        _ = try await ImageGenerator(asset: asset).image(at: .zero)
        #expect(served.paths.count <= most, "\(served.paths)")
    }

    @Test(
        "Audio renditions play in sync, also packed AAC with an ID3 timestamp",
        arguments: ["separate audio", "separate audio of fmp4", "packed audio"]
    )
    func separateSound(_ name: String) async throws {
        let folder = try Presentation.folder(name)
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        let local = await PlaybackTranscript.play(Asset(url: folder.file("master.m3u8")))
        let remote = await PlaybackTranscript.play(try served.asset("/master.m3u8"))
        #expect(local.frames.count == 90)
        #expect(remote == local)
    }

    @Test("The layer's size and the limits choose the variant stream, and only that one is fetched")
    func variants() async throws {
        let folder = try Presentation.folder("five variants")
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        let small = await PlaybackTranscript.play(
            try served.asset("/master.m3u8"),
            size: PixelSize(width: 160, height: 90)
        )
        #expect(small.frames.count == 90)
        #expect(small.ending == "end")
        #expect(served.paths.dropFirst().allSatisfy { $0.hasPrefix("/v1/") }, "\(served.paths)")
    }

    @Test("A live presentation is followed until its end tag")
    func live() async throws {
        let folder = try Presentation.folder("ts")
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:0.1\n#EXT-X-MEDIA-SEQUENCE:"
        let lists = [
            head + "0\n#EXTINF:1,\n0.ts\n", head + "0\n#EXTINF:1,\n0.ts\n#EXTINF:1,\n1.ts\n",
            head + "0\n#EXTINF:1,\n0.ts\n#EXTINF:1,\n1.ts\n",
            head + "1\n#EXTINF:1,\n1.ts\n#EXTINF:1,\n2.ts\n#EXT-X-ENDLIST\n",
        ]
        let count = Locked(0)
        let local = await PlaybackTranscript.play(Asset(url: folder.file("list.m3u8")))
        let served = try ServedFolder(try ServedFolder.files(folder.url)) { request, answer in
            guard request.path == "/live.m3u8" else { return }
            let index = count.withLock { count in
                defer { count += 1 }
                return min(count, lists.count - 1)
            }
            answer = FaultServer.Answer(200, body: Array(lists[index].utf8))
        }
        let remote = await PlaybackTranscript.play(try served.asset("/live.m3u8"))
        #expect(remote.ending == "end")
        #expect(remote.frames.filter { $0 != "stall" } == local.frames)
        #expect(remote.audio == local.audio)
        #expect(count.withLock { $0 } == 4)
    }

    @Test("Times continue across a discontinuity")
    func discontinuity() async throws {
        let folder = try Presentation.folder("ts")
        let segment = "#EXTINF:1,\n"
        let list =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(segment)0.ts\n\(segment)1.ts\n#EXT-X-DISCONTINUITY\n\(segment)0.ts\n"
            + "#EXT-X-DISCONTINUITY\n\(segment)2.ts\n#EXT-X-ENDLIST\n"
        var files = try ServedFolder.files(folder.url)
        files["/broken.m3u8"] = Array(list.utf8)
        let plain = await PlaybackTranscript.play(Asset(url: folder.file("list.m3u8")))
        let served = try ServedFolder(files)
        let remote = await PlaybackTranscript.play(try served.asset("/broken.m3u8"))
        #expect(remote.ending == "end")
        #expect(remote.faults == [])
        let pictures = { (frames: ArraySlice<String>) in frames.map { String($0.split(separator: " ")[1]) } }
        let expected = plain.frames[..<60] + plain.frames[..<30] + plain.frames[60...]
        #expect(pictures(remote.frames[...]) == pictures(expected[...]))
        let times = remote.frames.compactMap { $0.split(separator: " ").first.flatMap { Double($0) } }
        #expect(times == times.sorted())
        #expect(Set(times).count == 120)
        #expect(abs((times.last ?? 0) - 119.0 / 30) < 0.05)
    }
}

// Rule: hls-equivalence
/// Playback of real media files from a server is identical to playback of local files.
@Suite(
    "HLS: playing the corpus from a server",
    .enabled(if: CorpusFolder.url != nil),
    .timeLimit(.minutes(10))
)
struct ServedCorpusTests {
    @Test(
        "Frames, samples, times and duration equal those of local files",
        arguments: [
            "cea608-byterange-ts/manifest.m3u8", "cmaf-fmp4-separate-audio/playlist.m3u8",
            "fmp4-hevc-two-segments/playlist.m3u8", "wave-tos-1080p2997-frame-counter-beeps/main.m3u8",
            "webvtt-subtitle-group/multivariant_playlist.m3u8",
        ]
    )
    func same(_ name: String) async throws {
        let folder = try #require(CorpusFolder.url?.appendingPathComponent("hls"))
        let local = await PlaybackTranscript.play(Asset(url: folder.appendingPathComponent(name)))
        #expect(local.ending == "end")
        #expect(local.frames.count >= 30)
        let served = try ServedFolder(try ServedFolder.files(folder))
        let remote = await PlaybackTranscript.play(try served.asset("/" + name))
        #expect(remote == local)
    }
}
