import Foundation
import MediaCore
import Playhead
import PlayheadBackend
import Testing

@testable import FFmpeg

/// Subtitles of real files are compared with ffmpeg's output.
@Suite(.enabled(if: Corpus.isPresent, Corpus.hint))
struct TextTests {
    static let files = [
        "subtitles/ass-in.mkv", "subtitles/srt-in.mkv", "subtitles/mov-text-h264-mp3.mp4",
        "subtitles/typical.srt",
        "subtitles/typical.vtt", "subtitles/positioning.vtt",
        "subtitles/utf16le.srt",
        "vp9/opus-webvtt-180p.webm",
    ]

    /// A cue with times in milliseconds.
    struct Line: Hashable {
        var start, end: Int64
        var text: String
    }

    /// Returns ffmpeg's SubRip output for the first subtitle track, without tags.
    private func reference(_ entry: CorpusEntry) -> [Line] {
        let bytes =
            Corpus.output(of: "ffmpeg -nostdin -v quiet -copyts -i '\(entry.location)' -map 0:s:0 -f srt -")
            ?? []
        return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").components(
            separatedBy: "\n\n"
        ).compactMap { block in
            let rows = block.split(separator: "\n", omittingEmptySubsequences: false).drop { $0.isEmpty }
            guard rows.count >= 3, let times = rows.dropFirst().first?.components(separatedBy: " --> "),
                times.count == 2
            else { return nil }
            let text = rows.dropFirst(2).joined(separator: "\n")
                .replacing(/<[^>]*>/, with: "").replacing(/\{\\an\d\}/, with: "")
                .trimmingCharacters(in: .whitespacesAndNewlines)
            return text.isEmpty ? nil : Line(start: Self.ms(times[0]), end: Self.ms(times[1]), text: text)
        }
    }

    private static func ms(_ text: String) -> Int64 {
        let parts = text.split { ":,".contains($0) }.compactMap { Int64($0) }
        return parts.count == 4 ? ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000 + parts[3] : -1
    }

    private func line(_ cue: TextCue, plus zero: MediaTime) -> Line {
        func ms(_ time: MediaTime) -> Int64 {
            (time + zero).rescaled(to: 1000, rounding: .roundHalfAwayFromZero).value
        }
        return Line(
            start: ms(cue.timeRange.start),
            end: ms(cue.timeRange.end),
            text: cue.text.trimmingCharacters(in: .whitespacesAndNewlines)
        )
    }

    @Test(arguments: files)
    func cuesAreFFmpegs(_ path: String) throws {
        let entry = CorpusEntry(path: path, columns: [:])
        let demuxer = FFmpegDemuxer(OpenRequest(location: entry.location))
        let description = try demuxer.open().get()
        let track = try #require(description.tracks.first { $0.mediaType == .subtitle })
        demuxer.setEnabledTracks([track.id])
        let decoder = try demuxer.makeTextDecoder(for: track.id).get()
        var lines: [Line] = []
        while let packet = try demuxer.read().get() {
            lines += try decoder.decode(packet).map { line($0, plus: description.startTime) }
        }
        let reference = reference(entry)
        #expect(!reference.isEmpty)
        #expect(lines.map(\.text) == reference.map(\.text))
        for (mine, theirs) in zip(lines, reference) {
            // ffmpeg declares no end for a cue that ends when the next one begins.
            let hasEnd = theirs.end > theirs.start
            #expect(
                abs(mine.start - theirs.start) <= 1 && (!hasEnd || abs(mine.end - theirs.end) <= 1),
                "\(mine) \(theirs)"
            )
        }
    }

    @Test(
        "Playback delivers every cue of the track at its time, and as many frames as without subtitles",
        arguments: ["subtitles/srt-in.mkv", "subtitles/ass-in.mkv", "subtitles/mov-text-h264-mp3.mp4"]
    )
    func played(_ path: String) async throws {
        let entry = CorpusEntry(path: path, columns: [:])
        let reference = reference(entry)
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let item = PlayerItem(url: URL(fileURLWithPath: entry.location))
        let output = LegibleOutput()
        let received = Locked([(MediaTime, TextCue)]())
        let queue = DispatchQueue(label: "words")
        output.setHandler(queue: queue) { notice in
            guard case .cues(let cues, let time) = notice else { return }
            received.withLock { $0 += cues.map { (time, $0) } }
        }
        item.add(output)
        try await item.asset.load()
        let group = try #require(item.asset.mediaSelectionGroup(for: .legible))
        item.select(group.options.first, in: group)
        try await player.playToEnd(item)
        let zero = try #require(item.asset.media?.startTime)
        let end = item.currentTime()
        await player.shutdown()
        queue.sync {}
        let due = reference.filter { MediaTime(value: $0.start, timescale: 1000) - zero < end }
        let all = received.withLock { $0 }
        #expect(all.map { $0.1.text } == due.map(\.text))
        #expect(!due.isEmpty)
        for (time, cue) in all {
            #expect(abs((time - max(.zero, cue.timeRange.start)).seconds) < 0.000001)
            #expect(cue.timeRange.duration.isNumeric)
        }
        #expect(player.counters.framesPresented == FrameMD5(entry)?.lines.count)
    }

    @Test("A file that declares its own fields is decoded, although ffmpeg loses its text")
    func ownFields() throws {
        let demuxer = FFmpegDemuxer(OpenRequest(location: Corpus.root + "/subtitles/typical.ssa"))
        let track = try #require(try demuxer.open().get().tracks.first)
        let decoder = try demuxer.makeTextDecoder(for: track.id).get()
        var texts: [String] = []
        while let packet = try demuxer.read().get() { texts += try decoder.decode(packet).map(\.text) }
        #expect(
            texts == [
                "This is the first subtitle.", "This is the second subtitle \nwith a newline \nand another.",
                "This is the third subtitle, with a comma.",
            ]
        )
    }

    @Test("Bitmap subtitles are decoded to pixels without text, and have no cues of text")
    func bitmaps() async throws {
        let location = Corpus.root + "/subtitles/pgs-bitmap.mkv"
        let demuxer = FFmpegDemuxer(OpenRequest(location: location))
        let track = try #require(try demuxer.open().get().tracks.first { $0.mediaType == .subtitle })
        let decoder = try demuxer.makeTextDecoder(for: track.id).get()
        demuxer.setEnabledTracks([track.id])
        var cues: [TextCue] = []
        while let packet = try demuxer.read().get() { cues += try decoder.decode(packet) }
        let cue = try #require(cues.first)
        guard case .bitmap(let bitmap)? = cue.drawing else { return #expect(Bool(false), "no bitmap") }
        #expect(cues.count == 1 && cue.text.isEmpty && cue.timeRange.duration.isIndefinite)
        #expect(bitmap.canvas == PixelSize(width: 1280, height: 720))
        for part in bitmap.parts {
            #expect(part.pixels.count == part.rect.width * part.rect.height)
            #expect(part.pixels.allSatisfy { Int($0) < part.colors.count })
        }
        let asset = Asset(url: URL(fileURLWithPath: location))
        try await asset.load()
        let described = try #require(asset.tracks.first { $0.mediaType == .subtitle })
        let error = await #expect(throws: PlaybackError.self) { _ = try await asset.cues(of: described) }
        #expect(error?.message.contains("the subtitles are bitmaps, not text") == true)
    }
}

struct PlainTextTests {
    @Test("A cue that begins after a century is read, and the reader ends")
    func extremeTime() async throws {
        let file = """
            1
            00:00:01,000 --> 00:00:02,000
            soon

            2
            900000:00:00,000 --> 900000:00:01,000
            late

            """
        let asset = Asset(DataByteSource(Array(file.utf8), name: "late.srt"))
        try await asset.load()
        let track = try #require(asset.tracks.first { $0.mediaType == .subtitle })
        #expect(try await asset.cues(of: track).map(\.text) == ["soon", "late"])
    }

    @Test(arguments: [
        ("0,0,Default,,0,0,0,,Plain, with a comma", "Plain, with a comma"),
        ("0,0,Default,,0,0,0,,{\\b1}Bold{\\b0} and\\Nnext\\nlast\\hword", "Bold and\nnext\nlast\u{A0}word"),
        ("0,0,Default,,0,0,0,,{\\p1}m 0 0 l 10 10{\\p0}text", "text"),
        ("0,0,Default,,0,0,0,,\\{not a tag\\} C:\\\\x \\q {open", "{not a tag} C:\\x \\q {open"),
        ("0,0,Default,,0,0,0,,{\\pos(1,2)}  kept  {\\i1}", "  kept"),
        ("0,0,Default,,0,0,0,,", ""), ("broken", ""),
    ])
    func markupIsTakenOff(_ event: String, _ text: String) {
        #expect(PlainText.ofEvent(event) == text)
    }

    @Test(
        "A position counts only in a block of overrides, not in text",
        arguments: [
            ("{\\pos(1,2)}a", false), ("a{\\b1\\move(1,2,3,4)}", false), ("{\\b1}{\\pos(1,2)}a", false),
            ("\\{{\\pos(1,2)}a", false), ("a", true), ("{\\b1}a", true), ("\\pos(1,2)", true),
            ("{\\b1}\\move(1,2,3,4)", true), ("\\{\\pos(1,2)}", true), ("{\\pos(1,2)", true),
            ("{\\b1}\u{301}\\pos(1,2)}", true),
        ]
    )
    func positions(_ text: String, _ isPlaced: Bool) {
        let event = ASSEvent(fields: "0,Default,,0,0,0,,\(text)", readOrder: 0, script: PlainText.script)
        #expect(event.isPlaced == isPlaced)
    }

    @Test(
        "A cue of plain text has no position, whatever its text is",
        arguments: ["\\pos(1,2)", "{\\pos(1,2)}"]
    )
    func plainTextHasNoPosition(_ text: String) {
        let cue = TextCue(text: text, timeRange: MediaTimeRange(start: .zero, duration: .zero), track: 0)
        guard case .event(let event)? = PlainText.event(of: cue)?.drawing else {
            return #expect(Bool(false), "no event")
        }
        #expect(event.isPlaced)
    }

    @Test(
        "The time for text with any number of braces that are not closed is linear",
        .timeLimit(.minutes(1))
    )
    func openBraces() {
        let braces = String(repeating: "{", count: 100_000)
        #expect(PlainText.ofEvent("0,0,Default,,0,0,0,,{\\i1}a\(braces)") == "a" + braces)
    }
}
