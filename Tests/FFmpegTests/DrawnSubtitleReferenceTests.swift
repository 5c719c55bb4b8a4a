import FFmpeg
import Foundation
import Playhead
import TestSupport
import Testing

/// Still images with subtitles, compared with those of ffmpeg's filters "subtitles", which uses the same libass, and
/// "overlay".
@Suite(
    "Subtitles in images compared with ffmpeg's filters",
    .enabled(if: Corpus.isPresent && ASSLibrary.isPresent)
)
struct DrawnSubtitleReferenceTests {
    /// Returns the luma and the chroma of an image as packed yuv420p.
    private func image(
        _ path: String,
        at milliseconds: Int64,
        subtitles: Bool = true,
        file: String? = nil
    ) async throws -> [UInt8] {
        let asset = Asset(url: URL(fileURLWithPath: path))
        try await asset.load()
        let generator = ImageGenerator(asset: asset)
        generator.pixelFormat = .yuv420p
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        if let file {
            generator.legibleAsset = Asset(url: URL(fileURLWithPath: file))
        } else if subtitles {
            generator.subtitleTrack = try #require(asset.tracks.first { $0.mediaType == .subtitle }).id
        }
        return try await generator.image(at: MediaTime(value: milliseconds, timescale: 1000)).frame
            .packedBytes()
    }

    private func psnr(_ one: [UInt8], _ other: [UInt8]) -> Double {
        guard one.count == other.count, !one.isEmpty else { return 0 }
        let sum = zip(one, other).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
        return sum == 0 ? 100 : 10 * log10(65_025 * Double(one.count) / Double(sum))
    }

    private func reference(_ path: String, _ filter: String, frame: Int) throws -> [UInt8] {
        try #require(
            Corpus.output(
                of: "ffmpeg -nostdin -v error -i '\(path)' -filter_complex "
                    + "\"\(filter),select='eq(n,\(frame))'\" -frames:v 1 -pix_fmt yuv420p -f rawvideo -"
            )
        )
    }

    /// The differences are those of rounding: ffmpeg blends with 8 bits, one layer of a glyph after another.
    private func compare(_ drawn: [UInt8], _ expected: [UInt8], plain: [UInt8], _ name: String) {
        #expect(psnr(drawn, expected) > 45, "\(name): \(psnr(drawn, expected)) dB")
        #expect(psnr(drawn, plain) < 40, "\(name) draws something: \(psnr(drawn, plain)) dB")
    }

    @Test(
        "Text is drawn as by ffmpeg's filter",
        arguments: [
            ("srt", "c:s srt"), ("ass", "c:s ass"), ("webvtt", "c:s webvtt"), ("mov_text", "c:s mov_text"),
        ]
    )
    func text(_ name: String, _ codec: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "in.srt",
            Data(
                "1\n00:00:00,200 --> 00:00:01,500\n<i>Third</i>, with ä and ß\nHow {\\c&H0000FF&}red\n\n"
                    .utf8
            )
        )
        let path = folder.path(name == "mov_text" ? "a.mp4" : "a.mkv")
        _ = Corpus.output(
            of:
                "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=640x360:rate=25:duration=2 -i '\(folder.path("in.srt"))' "
                + "-map 0:v -map 1:s -c:v libx264 -pix_fmt yuv420p -preset ultrafast -bf 0 -\(codec) '\(path)'"
        )
        let plain = try await image(path, at: 600, subtitles: false)
        let expected = try reference(path, "[0:v]subtitles='\(path)'", frame: 15)
        compare(try await image(path, at: 600), expected, plain: plain, name)
        // Nothing is drawn outside of the cue.
        for time: Int64 in [0, 1520] {
            #expect(try await image(path, at: time) == image(path, at: time, subtitles: false), "\(time) ms")
        }
        let external = try await image(path, at: 600, file: folder.path("in.srt"))
        compare(
            external,
            try reference(path, "[0:v]subtitles='\(folder.path("in.srt"))'", frame: 15),
            plain: plain,
            "file"
        )
    }

    @Test("Styles, positions and fonts of a script are those of ffmpeg's filter")
    func script() async throws {
        let folder = try TemporaryFolder()
        let script = """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: 640
            PlayResY: 360

            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
            Style: Default,DejaVu Sans,30,&H0000FFFF,&H000000FF,&H00FF0000,&H80000000,0,0,0,0,100,100,0,0,1,3,4,8,10,10,10,1

            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            Dialogue: 0,0:00:00.20,0:00:01.50,Default,,0,0,0,,Above
            Dialogue: 3,0:00:00.20,0:00:01.50,Default,,0,0,0,,{\\bord0\\c&HFF00FF&}Above
            Dialogue: 0,0:00:00.20,0:00:01.50,Default,,0,0,0,,{\\pos(320,250)\\frz20\\bord5}Turned
            Dialogue: 1,0:00:00.20,0:00:01.50,Default,,0,0,0,,{\\pos(20,20)\\p1}m 0 0 l 100 0 100 50 0 50{\\p0}
            Dialogue: 0,0:00:00.20,0:00:01.50,Default,,0,0,0,,{\\move(0,300,640,300)\\t(\\c&H00FF00&)}Moves

            """
        try folder.write("in.ass", Data(script.utf8))
        let path = folder.path("a.mkv")
        _ = Corpus.output(
            of:
                "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=640x360:rate=25:duration=2 -i '\(folder.path("in.ass"))' "
                + "-map 0:v -map 1:s -c:v libx264 -pix_fmt yuv420p -preset ultrafast -bf 0 -c:s copy '\(path)'"
        )
        // As text, cues that differ in their style only are one, and shapes are none.
        let asset = Asset(url: URL(fileURLWithPath: path))
        try await asset.load()
        let track = try #require(asset.tracks.first { $0.mediaType == .subtitle })
        #expect(try await asset.cues(of: track).map(\.text) == ["Above", "Turned", "Moves"])
        for frame in [10, 15, 30] {
            let time = Int64(frame * 40)
            compare(
                try await image(path, at: time),
                try reference(path, "[0:v]subtitles='\(path)'", frame: frame),
                plain: try await image(path, at: time, subtitles: false),
                "frame \(frame)"
            )
        }
    }

    @Test(
        "Bitmaps are drawn as by ffmpeg's overlay",
        arguments: [("pgs.mkv", "copy"), ("dvd.mkv", "dvdsub"), ("dvb.ts", "dvbsub")]
    )
    func bitmaps(_ name: String, _ codec: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        _ = Corpus.output(
            of: "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=1280x720:rate=25:duration=2 "
                + "-i '\(Corpus.root)/subtitles/pgs-bitmap.mkv' -map 0:v -map 1:s "
                + "-c:v libx264 -pix_fmt yuv420p -preset ultrafast -bf 0 -c:s \(codec) '\(path)'"
        )
        let plain = try await image(path, at: 600, subtitles: false)
        let expected = try reference(path, "[0:v][0:s]overlay", frame: 15)
        compare(try await image(path, at: 600), expected, plain: plain, name)
        // The track ends the subtitle at 1.24 s. ffmpeg cannot write that to a DVD track.
        guard codec != "dvdsub" else { return }
        #expect(try await image(path, at: 1400) == image(path, at: 1400, subtitles: false))
    }

    @Test("A track that does not exist fails with its number")
    func missingTrack() async throws {
        let generator = ImageGenerator(asset: Asset(url: Fixture.url("clip-h264-aac.mp4")))
        generator.subtitleTrack = 7
        let error = await #expect(throws: PlaybackError.self) { try await generator.image(at: .zero) }
        #expect(error?.message.contains("no subtitle track 7") == true)
    }
}

extension ASSLibrary {
    static var isPresent: Bool { if case .success = shared { true } else { false } }
}
