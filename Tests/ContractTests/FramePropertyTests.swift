import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// Creates small files with FFmpeg's command for properties that no fixture has.
enum MadeFile {
    static func make(_ name: String, in folder: TemporaryFolder, _ options: String) throws -> URL {
        let url = folder.file(name)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let words = options.split(whereSeparator: \.isWhitespace).map(String.init)
        process.arguments = ["ffmpeg", "-nostdin", "-v", "error"] + words + [url.path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return url
    }
}

@Suite("Contract: files whose duration is not that of their media")
struct OtherDurationTests {
    @Test("Matroska whose last subtitle ends after the media plays to its end")
    func subtitles() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a.srt", Array("1\n00:00:00,200 --> 00:00:05,000\nHello\n".utf8))
        let url = try MadeFile.make(
            "a.mkv",
            in: folder,
            """
            -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -i \(folder.file("a.srt").path)
            -map 0 -map 1 -map 2 -c:v mpeg4 -c:a aac -c:s srt
            """
        )
        let declared = try await Asset(url: url).load(.duration)
        #expect(declared >= MediaTime.ms(5000))
        let played = await PlaybackTranscript.play(Asset(url: url))
        #expect(played.ending == "end", "\(played.message)")
        #expect(played.frames.count == 50)
    }

    @Test("ASF of which only the shorter track is played ends without an error")
    func shorterTrack() async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.asf",
            in: folder,
            """
            -f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=4:r=44100 -c:v mpeg4 -c:a wmav2
            """
        )
        let frames = try await Asset(url: url).frames().reduce(0) { count, _ in count + 1 }
        #expect(frames == 25)
    }

    @Test(
        "AVI that FFmpeg could not complete, because it wrote to a pipe, declares no duration and plays to its end"
    )
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.avi",
            in: folder,
            """
            -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -c:v mpeg4 -c:a pcm_s16le -seekable 0
            """
        )
        let asset = Asset(url: url)
        #expect(try await asset.load(.duration) == .indefinite)
        #expect(asset.tracks.allSatisfy { $0.frameCount == nil })
        #expect(try await asset.image(at: .ms(100_000)).presentationTime == .ms(1960))
        let played = await PlaybackTranscript.play(Asset(url: url))
        #expect(played.ending == "end", "\(played.message)")
        #expect(played.frames.count == 50)
    }

    @Test(
        "RealMedia that FFmpeg wrote to a pipe, which declares an hour, has no duration and plays to its end"
    )
    func pipeOfRealMedia() async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.rm",
            in: folder,
            """
            -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2:r=44100 -c:v rv10 -c:a ac3 -seekable 0
            """
        )
        let asset = Asset(url: url)
        #expect(try await asset.load(.duration) == .indefinite)
        let played = await PlaybackTranscript.play(Asset(url: url))
        #expect(played.ending == "end", "\(played.message)")
        #expect(played.frames.count == 50)
    }

    @Test("AVI whose declared duration is shorter than its frames: images reach the last frame")
    func shortDuration() async throws {
        let folder = try TemporaryFolder()
        // The duration is 50 frames. The audio begins at 0, and the first frame after the delay of two frames.
        let url = try MadeFile.make(
            "a.avi",
            in: folder,
            """
            -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -bf 2 -g 12 -pix_fmt yuv420p
            -c:a pcm_s16le
            """
        )
        let asset = Asset(url: url)
        let times = try await asset.frames().reduce(into: [MediaTime]()) { $0.append($1.presentationTime) }
        let last = try #require(times.last)
        #expect(times.count == 50 && last == .ms(2040))
        #expect(try await asset.load(.duration) == .ms(2000))
        for time in [MediaTime.ms(100_000), last, .ms(2010), .ms(1990)] {
            let due = times.last { $0 <= time }
            #expect(try await asset.image(at: time).presentationTime == due, "\(time)")
        }
        let samples = asset.frames(.times([.ms(1990), .ms(2010), .ms(100_000)]))
        let found = try await samples.reduce(into: [MediaTime]()) { $0.append($1.presentationTime) }
        #expect(found == Array(times.suffix(3)))
    }

    @Test(
        "AVI whose last seconds have only decode times is not regarded as truncated: its last frame is found"
    )
    func untimedEnd() async throws {
        let folder = try TemporaryFolder()
        // The encoder uses no B-frames for noise, and in AVI only B-frames have presentation times.
        let url = try MadeFile.make(
            "a.avi",
            in: folder,
            """
            -f lavfi -i color=gray:s=64x48:r=25:d=5,noise=alls=100:allf=t+u:enable='gte(t,1)'
            -c:v mpeg4 -bf 2 -b_strategy 1 -g 300 -sc_threshold 1000000000
            """
        )
        let asset = Asset(url: url)
        let times = try await asset.frames().reduce(into: [MediaTime]()) { $0.append($1.presentationTime) }
        let last = try #require(times.last)
        #expect(times.count == 125)
        for time in [last, .ms(4_990), .ms(100_000)] {
            #expect(try await asset.image(at: time).presentationTime == last, "\(time)")
        }
        let samples = asset.frames(.times([.ms(100_000), .zero]))
        let found = try await samples.reduce(into: [MediaTime]()) { $0.append($1.presentationTime) }
        #expect(found == [last, times[0]])
    }

    @Test("The duration of a program stream is an estimate, and frames at a rate reach its end")
    func programStream() async throws {
        let folder = try TemporaryFolder()
        // All packets fit into two packs, so only the first frames have timestamps. MPEG-1 has no such frame rate.
        let url = try MadeFile.make(
            "a.mpg",
            in: folder,
            "-f lavfi -i testsrc2=s=64x48:r=10:d=1 -c:v mpeg1video -strict -1"
        )
        let asset = Asset(url: url)
        #expect(try await asset.load(.duration) < .ms(1000))
        #expect(asset.media?.durationIsEstimate == true)
        let frames = try await asset.frames(.rate(perSecond: 10)).reduce(0) { count, _ in count + 1 }
        #expect(frames == 10)
    }

    @Test("The duration of NUT, its last timestamp, is an estimate, and frames at a rate reach its end")
    func lastTimestamp() async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.nut",
            in: folder,
            "-f lavfi -i testsrc2=s=64x48:r=10:d=1 -c:v mpeg4"
        )
        let asset = Asset(url: url)
        #expect(try await asset.load(.duration) == .ms(900))
        #expect(asset.media?.durationIsEstimate == true)
        let frames = try await asset.frames(.rate(perSecond: 10)).reduce(0) { count, _ in count + 1 }
        #expect(frames == 10)
    }

    @Test("GXF ends without an error, and images of its last frame are found")
    func endOfGXF() async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.gxf",
            in: folder,
            "-f lavfi -i testsrc2=s=720x576:r=25:d=3 -c:v mpeg2video"
        )
        let asset = Asset(url: url)
        let times = try await asset.frames().reduce(into: [MediaTime]()) { $0.append($1.presentationTime) }
        let last = try #require(times.last)
        // The first frame, which is decoded one frame before it is shown, is at 0, and all last two fields.
        #expect(times == (0..<75).map { MediaTime.ms($0 * 40) })
        #expect(try await asset.image(at: last).presentationTime == last)
        let played = await PlaybackTranscript.play(asset)
        #expect(played.ending == "end" && played.faults.isEmpty, "\(played.message) \(played.faults)")
    }

    @Test("Raw MPEG-2 with B-frames begins with its first frame, whose packet has no presentation time")
    func rawVideo() async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.m2v",
            in: folder,
            "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v mpeg2video -bf 2"
        )
        let asset = Asset(url: url)
        let times = try await asset.frames().reduce(into: [MediaTime]()) { $0.append($1.presentationTime) }
        #expect(times.count == 50 && times.first == .zero)
        #expect(try await asset.image(at: .ms(39)).presentationTime == .zero)
    }

    @Test(
        "AVI with B-frames, whose first packet has no presentation time, begins with its first frame",
        arguments: ["libx264 -pix_fmt yuv420p", "mpeg4"]
    )
    func decodeTimesOnly(_ codec: String) async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.avi",
            in: folder,
            "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -bf 2 -g 12 -c:v \(codec)"
        )
        let asset = Asset(url: url)
        let times = try await asset.frames().reduce(into: [MediaTime]()) { $0.append($1.presentationTime) }
        #expect(times == (0..<50).map { .ms(40 * $0) })
        for time in [MediaTime.zero, .ms(480), .ms(1230)] {
            let due = times.last { $0 <= time }
            #expect(try await asset.image(at: time).presentationTime == due, "\(time)")
        }
    }

    @Test(
        "AVI with B-frames plays the same after its first frame was preloaded",
        arguments: ["libx264 -pix_fmt yuv420p", "mpeg4"]
    )
    func preloaded(_ codec: String) async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.avi",
            in: folder,
            "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -bf 2 -g 12 -c:v \(codec)"
        )
        let plain = await PlaybackTranscript.play(Asset(url: url))
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        let preloader = Preloader(configuration: configuration)
        let changes = preloader.changes
        let asset = Asset(url: url)
        preloader.preload(asset, to: .firstFrame)
        for await change in changes {
            if case .failed(let error) = change.status { throw error }
            if change.status == .ready { break }
        }
        let played = await PlaybackTranscript.play(asset)
        #expect(played.difference(from: plain) == nil)
        #expect(plain.frames.count == 25 && plain.ending == "end")
    }

    @Test(
        "H.263 and H.261, whose packets libav all marks as key frames: a frame is the same after a seek",
        arguments: [("h263", "h263"), ("h263", "avi"), ("h261", "h261")]
    )
    func predictedPictures(_ codec: String, _ container: String) async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "a.\(container)",
            in: folder,
            "-f lavfi -i testsrc2=s=176x144:r=25:d=4 -c:v \(codec) -g 25"
        )
        let asset = Asset(url: url)
        var frames: [VideoFrame] = []
        for try await frame in asset.frames() { frames.append(frame) }
        try #require(frames.count == 100)
        for frame in [frames[80], frames[30]] {
            let sampling = FrameSampling.times([frame.presentationTime])
            let found = try await asset.frames(sampling).reduce(into: [VideoFrame]()) { $0.append($1) }
            // Times are not compared: at the start of a raw file, libav reports another duration for the first frame.
            #expect(found.count == 1)
            #expect(try found.first?.packedBytes() == frame.packedBytes())
        }
    }
}

@Suite("Contract: the range of gray images")
struct GrayRangeTests {
    @Test("Gray of 8 and 16 bits that declares no range is full range", arguments: [1, 2])
    func undeclared(_ byteCount: Int) async throws {
        let folder = try TemporaryFolder()
        let header = Array("P5\n16 16\n\(byteCount == 1 ? 255 : 65_535)\n".utf8)
        let samples = (UInt8.min...UInt8.max).flatMap { [UInt8](repeating: $0, count: byteCount) }
        try folder.write("a.pgm", header + samples)
        let image = try await Asset(url: folder.file("a.pgm")).image(at: .zero)
        let values = try image.packedBytes(as: .rgb24)
        try #require(values.count == 3 * 256)
        for (index, value) in values.enumerated() {
            #expect(abs(Int(value) - index / 3) <= 1, "\(index / 3)")
        }
    }
}

@Suite("Contract: chapters on the timeline of the item")
struct ChapterTimeTests {
    @Test(
        "If the container begins after time 0, chapters begin with the media and end where the next one begins"
    )
    func lateStart() async throws {
        let folder = try TemporaryFolder()
        let marks = [("Before", 0, 1500), ("One", 1500, 3000), ("Two", 3000, 5000)]
        let chapters = marks.map { title, start, end in
            "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(start)\nEND=\(end)\ntitle=\(title)\n"
        }
        try folder.write("a.txt", Array((";FFMETADATA1\n" + chapters.joined()).utf8))
        let url = try MadeFile.make(
            "a.mkv",
            in: folder,
            """
            -f lavfi -i testsrc2=s=64x48:r=25:d=3 -i \(folder.file("a.txt").path) -map_metadata 1
            -c:v mpeg4 -output_ts_offset 2
            """
        )
        let asset = Asset(url: url)
        try await asset.load()
        #expect(asset.chapters.map(\.title) == ["One", "Two"])
        #expect(
            asset.chapters.map(\.timeRange) == [
                MediaTimeRange(start: .zero, end: .ms(1000)),
                MediaTimeRange(start: .ms(1000), end: .ms(3000)),
            ]
        )
    }
}

@Suite("Contract: edit lists of several segments")
struct EditListTests {
    /// Returns an MP4 file with another edit list. Its media precedes `moov`, so the offsets of the chunks stay right.
    private func setting(
        _ edits: [(duration: UInt32, mediaTime: UInt32)],
        of file: [UInt8]
    ) throws -> [UInt8] {
        func start(_ type: String) throws -> Int {
            let found = file.firstRange(of: Array(type.utf8))
            return try #require(found).lowerBound - 4
        }
        func word(_ offset: Int) -> UInt32 {
            file[offset..<offset + 4].reduce(UInt32(0)) { ($0 << 8) | UInt32($1) }
        }
        func bytes(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        var content = Array("elst".utf8) + bytes(0) + bytes(UInt32(edits.count))
        for edit in edits { content += bytes(edit.duration) + bytes(edit.mediaTime) + bytes(0x10000) }
        let list = bytes(UInt32(content.count + 4)) + content
        let old = try start("elst")
        let oldSize = word(old)
        var result = file
        for type in ["moov", "trak", "edts"] {
            let box = try start(type)
            result.replaceSubrange(box..<box + 4, with: bytes(word(box) + UInt32(list.count) - oldSize))
        }
        result.replaceSubrange(old..<old + Int(oldSize), with: list)
        return result
    }

    /// Returns a file of which each segment is the first 0.4 s. libav delivers the second group of pictures after the
    /// first, to be discarded.
    private func makeFile(segmentCount: Int, in folder: TemporaryFolder) throws -> URL {
        let plain = try MadeFile.make(
            "plain.mp4",
            in: folder,
            "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -bf 2 -g 10 -pix_fmt yuv420p"
        )
        let edits = [(duration: UInt32, mediaTime: UInt32)](repeating: (400, 1024), count: segmentCount)
        try folder.write("edited.mp4", try setting(edits, of: [UInt8](Data(contentsOf: plain))))
        return folder.file("edited.mp4")
    }

    @Test("A range that ends in the second segment has the frames of both")
    func endsInSecondSegment() async throws {
        let folder = try TemporaryFolder()
        let asset = Asset(url: try makeFile(segmentCount: 2, in: folder))
        let all = try await asset.frames().reduce(into: [MediaTime]()) { $0.append($1.presentationTime) }
        #expect(all == (0..<20).map { MediaTime.ms($0 * 40) })
        for end in [MediaTime.ms(590), .ms(420)] {
            let part = asset.frames(in: MediaTimeRange(start: .zero, duration: end))
            let times = try await part.reduce(into: [MediaTime]()) { $0.append($1.presentationTime) }
            #expect(times == all.filter { $0 < end }, "\(end)")
        }
    }

    @Test("The passes of a loop end at the same times with and without a viewer")
    func unwatchedLoop() async throws {
        let folder = try TemporaryFolder()
        let url = try makeFile(segmentCount: 1, in: folder)
        var ends: [[Int64]] = []
        var decoded: [Int] = []
        for isWatched in [true, false] {
            let clock = VirtualClock()
            let times = Locked([Int64]())
            let (player, token) = clock.hold {
                let player = Player(url: url, configuration: .offline(audio: .automatic, clock: clock))
                if isWatched { player.add(NullVideoSink()) }
                let token = player.onEvent { event in
                    guard case .didPlayToEndTime = event.event else { return }
                    times.withLock { $0.append(event.hostTime.nanoseconds) }
                }
                player.repeatMode = .loop
                player.play()
                return (player, token)
            }
            var passes = 0
            for await event in player.events {
                guard case .didPlayToEndTime = event else { continue }
                passes += 1
                if passes == 20 { break }
            }
            decoded.append(player.counters.framesDecoded)
            await player.shutdown()
            withExtendedLifetime(token) {}
            ends.append(times.withLock { Array($0.prefix(20)) })
        }
        #expect(ends[0] == ends[1] && ends[0].count == 20)
        #expect(zip(ends[0], ends[0].dropFirst()).allSatisfy { $1 - $0 == 400_000_000 })
        #expect(decoded[1] < decoded[0])
    }
}

@Suite("Contract: properties of frames, and reasons for unplayable files")
struct FramePropertyTests {
    private struct Colors: Sendable {
        let primaries, transfer, matrix: String
        let isFull: Bool
        var options: String {
            """
            -color_primaries \(primaries) -color_trc \(transfer) -colorspace \(matrix)
            -color_range \(isFull ? "pc" : "tv")
            """
        }
    }

    @Test(
        "Each frame and its track have the colors, the transfer function and the range that the stream declares"
    )
    func colors() async throws {
        let folder = try TemporaryFolder()
        let all = [
            Colors(primaries: "bt709", transfer: "bt709", matrix: "bt709", isFull: false),
            Colors(primaries: "smpte170m", transfer: "smpte170m", matrix: "smpte170m", isFull: true),
            Colors(primaries: "bt2020", transfer: "smpte2084", matrix: "bt2020nc", isFull: false),
            Colors(primaries: "bt2020", transfer: "arib-std-b67", matrix: "bt2020nc", isFull: true),
        ]
        for (number, colors) in all.enumerated() {
            let url = try MadeFile.make(
                "\(number).mp4",
                in: folder,
                """
                -f lavfi -i testsrc2=s=90x50:r=10:d=0.5 -vf scale=out_range=\(colors.isFull ? "full" : "limited")
                -pix_fmt yuv420p -c:v libx264 -preset ultrafast -threads 1 \(colors.options)
                """
            )
            let bench = PlayerTestBench.forFiles()
            let seen = Locked([VideoFormat]())
            bench.layer.add(CallbackVideoSink { frame in seen.withLock { $0.append(frame.format) } })
            let item = bench.load(url)
            bench.player.play()
            bench.driver.run(atMost: 10)
            let formats = seen.withLock { $0 }
            #expect(formats.count == 5)
            // The stream is coded as 96x64, and cropped.
            #expect(formats.allSatisfy { $0.size == PixelSize(width: 90, height: 50) })
            for color in formats.map(\.color) + item.tracks.map(\.assetTrack.color) {
                #expect(color.primaries == colors.primaries)
                #expect(color.transfer == colors.transfer)
                #expect(color.matrix == colors.matrix)
                #expect(color.isFullRange == colors.isFull)
            }
        }
    }

    @Test(
        "A track without a decoder reports the reason, and the other tracks are played",
        .enabled(if: Fixture.areThere)
    )
    func withoutDecoder() async throws {
        var bytes = try Data(contentsOf: Fixture.url("clip-h264-aac.mp4"))
        for name in ["avc1", "avcC"] {
            while let range = bytes.firstRange(of: Data(name.utf8)) {
                bytes.replaceSubrange(range, with: Data("zzzz".utf8))
            }
        }
        let folder = try TemporaryFolder()
        try folder.write("strange.mp4", bytes)
        let asset = Asset(url: folder.file("strange.mp4"))
        let (isPlayable, tracks) = try await asset.load(.isPlayable, .tracks)
        #expect(isPlayable)
        let (video, audio) = (
            tracks.first { $0.mediaType == .video }, tracks.first { $0.mediaType == .audio }
        )
        #expect(video?.isPlayable == false && video?.unplayableReason?.isEmpty == false)
        #expect(audio?.isPlayable == true && audio?.unplayableReason == nil)
        let bench = PlayerTestBench.forFiles()
        let item = bench.load(PlayerItem(asset: asset))
        #expect(item.status == .readyToPlay)
        #expect(item.tracks.filter(\.isEnabled).map(\.assetTrack.mediaType) == [.audio])
        // If the other track has an unknown codec as well, no track can be played.
        for name in ["mp4a", "esds"] {
            while let range = bytes.firstRange(of: Data(name.utf8)) {
                bytes.replaceSubrange(range, with: Data("yyyy".utf8))
            }
        }
        try folder.write("stranger.mp4", bytes)
        let other = Asset(url: folder.file("stranger.mp4"))
        #expect(try await !other.load(.isPlayable))
        #expect(other.tracks.allSatisfy { $0.unplayableReason?.isEmpty == false })
        let failing = bench.load(PlayerItem(asset: other))
        #expect(failing.status == .failed && failing.error?.code == .decoderNotFound)
    }

    @Test(
        "A file with real encryption reports protected content, and its item fails with that error code",
        .enabled(if: Fixture.areThere)
    )
    func encrypted() async throws {
        let folder = try TemporaryFolder()
        let url = try MadeFile.make(
            "encrypted.mp4",
            in: folder,
            """
            -i \(Fixture.path("clip-h264-aac.mp4")) -t 1 -c copy -encryption_scheme cenc-aes-ctr
            -encryption_key 00112233445566778899aabbccddeeff -encryption_kid 112233445566778899aabbccddeeff00
            """
        )
        let asset = Asset(url: url)
        let (isProtected, isPlayable, tracks) = try await asset.load(
            .hasProtectedContent,
            .isPlayable,
            .tracks
        )
        #expect(isProtected && !isPlayable && tracks.count == 2)
        #expect(
            tracks.allSatisfy { $0.hasProtectedContent && $0.unplayableReason?.contains("encrypted") == true }
        )
        let bench = PlayerTestBench.forFiles()
        let item = bench.load(url)
        bench.player.play()
        bench.driver.run(seconds: 1)
        #expect(item.status == .failed && item.error?.code == .encrypted)
        #expect(bench.videoSink.frames.isEmpty && bench.audioSink.frameCount == 0)
    }
}
