import FFmpeg
import Foundation
import Playhead
import PlayheadTesting
import TestSupport
import Testing

/// Compares the sequences of an asset with playing it, for real files.
@Suite("Frames and audio of files without a player", .enabled(if: Fixture.areThere, "make fixtures"))
struct PulledFileTests {
    private static let clips = [
        "clip-h264-aac.mp4", "clip-moov-at-end.mp4", "clip-vp9-opus.webm", "clip-h264-aac.ts",
        "clip-fragmented.mp4", "clip-hevc-aac.mp4", "clip-av1-aac.mp4", "open-groups-hevc.mp4", "vfr.mp4",
        "video-only.mp4", "interlaced-h264.mp4", "interlaced-mpeg2.ts", "odd-size-vp9.webm", "anamorphic.mp4",
        "hdr10-hevc.mp4", "layers-av1.mp4", "short-audio.mp4", "two-languages.mkv",
        "broken-cut-faststart.mp4",
    ]
    private static let tones = [
        "clip-h264-aac.mp4", "clip-vp9-opus.webm", "clip-h264-aac.ts", "short-audio.mp4", "tone-44100.m4a",
        "tone-44100.mp3", "tone-48000-opus.webm", "tone-48000.opus", "tone-48000.wav", "tone-no-header.mp3",
    ]

    private func asset(_ name: String) -> Asset { Asset(url: Fixture.url(name)) }

    /// The code with which playing ends, as the sequences report it.
    private func ending(_ played: PlaybackTranscript) -> String { played.ending }

    @Test("All frames and their times are those of playing", arguments: clips)
    func frames(_ name: String) async throws {
        let played = await PlaybackTranscript.play(asset(name))
        let pulled = await PulledMedia.frames(of: asset(name))
        #expect(pulled.frames == played.frames)
        #expect(pulled.ending == ending(played))
        #expect(!pulled.frames.isEmpty)
    }

    @Test("All samples are those of playing", arguments: tones)
    func samples(_ name: String) async throws {
        let played = await PlaybackTranscript.play(asset(name))
        let pulled = await PulledMedia.audio(of: asset(name))
        #expect(pulled.sampleCount == played.sampleCount && pulled.sampleCount > 0)
        #expect(pulled.audio == played.audio)
        #expect(pulled.ending == ending(played))
    }

    @Test("Sampled frames are those of the sequence of all frames, in any order", arguments: clips)
    func sampled(_ name: String) async throws {
        guard name != "broken-cut-faststart.mp4" else { return }
        var all: [(time: MediaTime, line: String)] = []
        for try await frame in asset(name).frames() {
            all.append((frame.presentationTime, PulledMedia.line(frame)))
        }
        var random = SplitMix64(7)
        let end = try #require(all.last?.time.nanoseconds)
        let times = (0..<24).map { _ in MediaTime(nanoseconds: Int64.random(in: 0...end, using: &random)) }
        let due = times.map { time in all.last { $0.time <= time }?.line ?? all[0].line }
        #expect(await PulledMedia.frames(of: asset(name), .times(times)).frames == due)
        let sorted = times.sorted()
        let expected = sorted.map { time in all.last { $0.time <= time }?.line ?? all[0].line }
        #expect(await PulledMedia.frames(of: asset(name), .times(sorted)).frames == expected)
    }

    @Test("A time after the end of a truncated file is an error, and not its last frame")
    func truncated() async throws {
        let film = asset("broken-cut-faststart.mp4")
        var all: [String] = []
        do throws(PlaybackError) {
            for try await frame in film.frames() { all.append(PulledMedia.line(frame)) }
        } catch {
            #expect(error.code == .truncated)
        }
        for sampling: FrameSampling in [.uniform(count: 8), .rate(perSecond: 2)] {
            let found = await PulledMedia.frames(of: film, sampling)
            #expect(found.ending == "truncated" && !found.frames.isEmpty)
            #expect(Set(found.frames).count == found.frames.count)
        }
        // A still: the first request fails, and the next one is not affected.
        let generator = ImageGenerator(asset: film)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let error = await #expect(throws: PlaybackError.self) {
            try await generator.image(at: MediaTime(value: 29, timescale: 10))
        }
        #expect(error?.code == .truncated)
        #expect(try await PulledMedia.line(generator.image(at: .zero).frame) == all[0])
        // Within its tolerance a request gets the nearest key frame.
        generator.requestedTimeToleranceBefore = .positiveInfinity
        let time = try await generator.image(at: MediaTime(value: 29, timescale: 10)).actualTime
        #expect(time < MediaTime(value: 2, timescale: 1))
    }

    @Test("A truncated WebM file is an error if all its tracks are read, and ends if only its video is")
    func truncatedWebM() async throws {
        let bytes = [UInt8](try Data(contentsOf: Fixture.url("clip-vp9-opus.webm")))
        let part = DataByteSource(Array(bytes.prefix(bytes.count / 2)), name: "part")
        let film = Asset(
            url: Fixture.url("clip-vp9-opus.webm"),
            options: AssetOptions(byteSource: part)
        )
        #expect(await PlaybackTranscript.play(film).ending == "truncated")
        let frames = await PulledMedia.frames(of: film)
        #expect(frames.ending == "end" && !frames.frames.isEmpty)
    }

    @Test("A range of frames is the part of all frames that is due in it")
    func ranges() async throws {
        let all = await PulledMedia.frames(of: asset("clip-h264-aac.mp4")).frames
        var random = SplitMix64(3)
        for _ in 0..<6 {
            let first = Int.random(in: 0..<90, using: &random)
            let last = Int.random(in: first..<90, using: &random)
            let range = MediaTimeRange(
                start: MediaTime(value: Int64(first), timescale: 30),
                end: MediaTime(value: Int64(last) + 1, timescale: 30)
            )
            let part = await PulledMedia.frames(of: asset("clip-h264-aac.mp4"), in: range)
            #expect(part.frames == Array(all[first...last]), "\(first)...\(last)")
        }
    }

    @Test("A rate equal to the frame rate selects each frame once, from a pipe too")
    func rate() async throws {
        let bytes = [UInt8](try Data(contentsOf: Fixture.url("clip-fragmented.mp4")))
        let film = asset("clip-fragmented.mp4")
        let all = await PulledMedia.frames(of: film).frames
        #expect(await PulledMedia.frames(of: film, .rate(perSecond: 30)).frames == all)
        let tenth = stride(from: 0, to: all.count, by: 10).map { all[$0] }
        #expect(await PulledMedia.frames(of: film, .rate(perSecond: 3)).frames == tenth)
        for (rate, limit, expected) in [
            (30.0, Int?.none, all), (3, nil, tenth), (3, 4, Array(tenth.prefix(4))),
        ] {
            let pipe = Asset(
                url: Fixture.url("clip-fragmented.mp4"),
                options: AssetOptions(byteSource: Pipe(bytes))
            )
            let sampling = FrameSampling.rate(perSecond: rate, limit: limit)
            #expect(await PulledMedia.frames(of: pipe, sampling).frames == expected)
        }
    }

    /// A source that can be read once, from start to end.
    private final class Pipe: ByteSource {
        private let data: DataByteSource
        init(_ bytes: [UInt8]) { data = DataByteSource(bytes, name: "pipe") }
        var byteCount: Int64? { nil }
        var isSeekable: Bool { false }
        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
            data.read(at: offset, into: buffer)
        }
        func cancel() {}
    }

    @Test(
        "Key frames are the frames that are marked as such",
        arguments: ["clip-h264-aac.mp4", "clip-hevc-aac.mp4", "clip-h264-aac.ts"]
    )
    func keyFrames(_ name: String) async throws {
        var expected: [String] = []
        for try await frame in asset(name).frames() where frame.isKeyFrame {
            expected.append(PulledMedia.line(frame))
        }
        #expect(expected.count > 1)
        #expect(await PulledMedia.frames(of: asset(name), .keyFrames).frames == expected)
    }

    @Test("Frames are upright, in the requested size and format, and keep their times")
    func shapes() async throws {
        let size = PixelSize(width: 64, height: 48)
        for try await frame in asset("rotated-90.mp4").frames(.uniform(count: 3)) {
            #expect(frame.size == PixelSize(width: 180, height: 320))
            #expect(frame.format.rotation == .none)
        }
        for sampling in [FrameSampling.all, .uniform(count: 3), .keyFrames] {
            var count = 0
            for try await frame in asset("anamorphic.mp4").frames(sampling, pixelFormat: .rgb24, size: size) {
                #expect(frame.size == size && frame.pixelFormat == .rgb24)
                #expect(frame.format.pixelAspectRatio == Rational(1, 1))
                count += 1
            }
            #expect(count > 0)
        }
        for try await frame in asset("anamorphic.mp4").frames(.uniform(count: 1), pixelFormat: .gray) {
            #expect(frame.size == PixelSize(width: 320, height: 180) && frame.pixelFormat == .gray)
            #expect(frame.format.pixelAspectRatio == Rational(4, 3))
        }
        for try await frame in asset("hdr10-hevc.mp4").frames(.uniform(count: 1), pixelFormat: .rgb24) {
            #expect(!frame.format.color.isHDR)
        }
        for try await frame in asset("hdr10-hevc.mp4").frames(.uniform(count: 1)) {
            #expect(frame.format.color.isHDR)
        }
    }

    @Test("Scaled samples equal the images of an image generator")
    func images() async throws {
        let size = PixelSize(width: 100, height: 80)
        let generator = ImageGenerator(asset: asset("clip-h264-aac.mp4"))
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        generator.targetSize = size
        generator.videoGravity = .resize
        generator.pixelFormat = .rgb24
        let times = [MediaTime.ms(1500), .ms(100), .ms(2400)]
        var expected: [String] = []
        for time in times { expected.append(PulledMedia.line(try await generator.image(at: time).frame)) }
        var found: [String] = []
        for try await frame in asset("clip-h264-aac.mp4").frames(
            .times(times),
            pixelFormat: .rgb24,
            size: size
        ) {
            found.append(PulledMedia.line(frame))
        }
        #expect(found == expected)
    }

    @Test("The image at a time is exact, upright, with square pixels, and has the requested size")
    func image() async throws {
        let image = try await asset("rotated-90.mp4").image(at: .ms(500))
        #expect(image.size == PixelSize(width: 180, height: 320))
        #expect(abs(image.presentationTime.seconds - 0.5) < 0.04)
        let wide = try await asset("anamorphic.mp4").image(at: .ms(500))
        #expect(wide.size == PixelSize(width: 427, height: 180))
        let small = try await asset("clip-h264-aac.mp4").image(
            at: .ms(1000),
            size: PixelSize(width: 90, height: 90)
        )
        #expect(small.size == PixelSize(width: 90, height: 90) && small.presentationTime == .ms(1000))
        let mapped = try await asset("hdr10-hevc.mp4").image(at: .zero)
        #expect(!mapped.format.color.isHDR)
        for (name, time, size, code) in [
            ("tone-48000.wav", MediaTime.zero, PixelSize?.none, PlaybackError.Code.noPlayableTracks),
            ("clip-h264-aac.mp4", .indefinite, nil, .invalidArgument),
            ("clip-h264-aac.mp4", .zero, .zero, .invalidArgument),
            ("is-not-there.mp4", .zero, nil, .notFound),
        ] {
            let error = await #expect(throws: PlaybackError.self) {
                try await asset(name).image(at: time, size: size)
            }
            #expect(error?.code == code)
        }
    }

    @Test(
        "A file in memory has the frames, samples and samplings of the file on disk",
        arguments: ["clip-h264-aac.mp4", "clip-vp9-opus.webm"]
    )
    func memory(_ name: String) async throws {
        let source = DataByteSource([UInt8](try Data(contentsOf: Fixture.url(name))), name: name)
        let memory = Asset(source)
        let disk = asset(name)
        #expect(memory.url.lastPathComponent == name)
        for sampling in [FrameSampling.all, .uniform(count: 6), .times([.ms(2000), .ms(50)])] {
            #expect(await PulledMedia.frames(of: memory, sampling) == PulledMedia.frames(of: disk, sampling))
        }
        #expect(await PulledMedia.audio(of: memory) == PulledMedia.audio(of: disk))
        let empty = Asset(DataByteSource([], name: "none.mp4"))
        #expect(await PulledMedia.frames(of: empty).ending == "emptyMedia")
    }

    @Test("Audio in another format has the length of the track, and its range is exact")
    func conversion() async throws {
        let format = AudioFormat(sampleRate: 16_000, channelLayout: .mono, sampleFormat: .s16)
        var count = 0
        for try await buffer in asset("tone-48000.wav").audio(format: format) {
            #expect(buffer.format == format)
            #expect(abs(buffer.presentationTime.seconds - Double(count) / 16_000) < 1e-4)
            count += buffer.frameCount
        }
        #expect(count == 32_000)
        let range = MediaTimeRange(start: .ms(250), end: .ms(750))
        let part = await PulledMedia.audio(of: asset("tone-48000.wav"), in: range)
        #expect(part.sampleCount == 24_000)
        let own = AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .float)
        let all = await PulledMedia.audio(of: asset("tone-48000.wav"))
        var same = 0
        for try await buffer in asset("tone-48000.wav").audio(format: own) { same += buffer.frameCount }
        #expect(same == all.sampleCount)
    }

    @Test("All cues of a track are those that playing delivers")
    func cues() async throws {
        let film = asset("two-languages.mkv")
        try await film.load()
        let track = try #require(film.tracks.first { $0.mediaType == .subtitle })
        let cues = try await film.cues(of: track)
        #expect(!cues.isEmpty)
        #expect(
            cues.allSatisfy { $0.track == track.id && !$0.text.isEmpty && $0.timeRange.duration.isNumeric }
        )
        #expect(cues.map(\.timeRange.start) == cues.map(\.timeRange.start).sorted())
        #expect(try await film.cues(of: track, clock: .virtual) == cues)
        let sound = try #require(film.tracks.first { $0.mediaType == .audio })
        let error = await #expect(throws: PlaybackError.self) { try await film.cues(of: sound) }
        #expect(error?.code == .invalidArgument)
    }

    @Test(
        "Errors of files name the file",
        arguments: [
            ("broken-empty.mp4", "emptyMedia"), ("broken-text.mp4", "unrecognizedFormat"),
            ("is-not-there.mp4", "notFound"),
            ("tone-48000.wav", "noPlayableTracks"), ("broken-cut-moov-at-end.mp4", "truncated"),
        ]
    )
    func errors(_ name: String, _ code: String) async throws {
        for sampling in [FrameSampling.all, .keyFrames, .uniform(count: 2), .times([.zero])] {
            let error = await #expect(throws: PlaybackError.self) {
                for try await _ in asset(name).frames(sampling) {}
            }
            #expect(error?.code.rawValue == code)
            #expect(error?.message.hasPrefix(Fixture.path(name)) == true)
        }
    }
}
