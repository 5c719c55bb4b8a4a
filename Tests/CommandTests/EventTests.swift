import Foundation
import Playhead
import TestSupport
import Testing

@testable import vplay

@Suite("Events", .enabled(if: Media.isMade))
struct EventTests {
    private static let choices = [
        ["--repeat", "3"], ["--frames", "100", "--loop"], ["--duration", "4.25", "--loop"], ["--rate", "2"],
        ["--start", "1", "--end", "1.5"], [Media.uneven, Media.fixture("broken-text.mp4")],
        [Media.fixture("broken-cut-faststart.mp4"), "--repeat", "2"], ["--volume", "0.5", "--muted"],
        [Media.silent, "/no/such", Media.uneven, "--duration", "13.7", "--loop"],
    ]

    @Test("The same input gives the same events in every run", arguments: choices.samples)
    func theSameInputGivesTheSameEvents(options: [String]) async throws {
        let arguments = ["--untimed", "--events", "json", Media.clip] + options
        let first = try await Command.run(arguments)
        #expect(!first.output.isEmpty)
        for _ in 0..<3 {
            let again = try await Command.run(arguments)
            #expect(again.text == first.text)
            #expect(again.status == first.status)
        }
    }

    @Test("Each line is a JSON object")
    func eachLineIsAnObject() async throws {
        let outcome = try await Command.run("--untimed", "--events", "json", Media.clip, Media.silent)
        #expect(outcome.status == 0)
        var items: Set<Int> = []
        for line in outcome.lines {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            )
            #expect(object["event"] is String)
            #expect(object["time"] is NSNumber)
            if let item = object["item"] as? Int { items.insert(item) }
        }
        #expect(items == [0, 1])
    }

    @Test("The events of the end have a fixed order")
    func theEndComesInItsOrder() async throws {
        let outcome = try await Command.run("--untimed", "--events", "text", Media.clip)
        let names = outcome.lines.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        let order = ["didPlayToEndTime", "passEnded", "rateChanged", "timeControlStatusChanged"]
        #expect(names.suffix(4) == order)
        #expect(outcome.lines.last?.hasPrefix("3 ") == true)
        #expect(names.count { $0 == "didPlayToEndTime" } == 1)
    }

    @Test("Every pass has an end event")
    func everyPassHasItsEnd() async throws {
        let outcome = try await Command.run("--untimed", "--events", "text", "--repeat", "4", Media.clip)
        #expect(outcome.lines.count { $0.contains(" didPlayToEndTime ") } == 4)
    }

    @Test(
        "The beginning and the end of an interruption name the item that interrupts",
        arguments: [
            ("file:///srv/notice%201.mp4", "/srv/notice 1.mp4"),
            ("file:///srv/a%0Ab.mp4", #"/srv/a\nb.mp4"#),
            ("https://user:secret@a.example/notice.mp4?token=secret", "https://a.example/notice.mp4"),
        ]
    )
    func interruption(location: String, path: String) throws {
        let item = PlayerItem(url: try #require(URL(string: location)))
        let lines = [PlayerEvent.interstitialBegan(item), .interstitialEnded(item)].map {
            EventRecord($0).jsonLine(time: .zero, index: nil)
        }
        #expect(
            lines == [
                #"{"time":0,"event":"interstitialBegan","item":null,"path":"\#(path)"}"# + "\n",
                #"{"time":0,"event":"interstitialEnded","item":null,"path":"\#(path)"}"# + "\n",
            ]
        )
    }

    @Test("--subtitle-file reports the cues of a file beside the input; a missing one is named")
    func subtitleFile() async throws {
        let folder = try TemporaryFolder()
        try folder.write("words.srt", Data("1\n00:00:01,000 --> 00:00:02,000\nHello.\n".utf8))
        let words = folder.path("words.srt")
        let outcome = try await Command.run(
            "--untimed",
            "--events",
            "json",
            "--subtitle-file",
            words,
            Media.clip
        )
        #expect(outcome.status == 0)
        #expect(outcome.lines.filter { $0.contains("\"text\":\"Hello.\"") }.count == 1)
        let missing = try await Command.run("--untimed", "--sub-file", words + "x", Media.clip)
        #expect(missing.errors.contains("words.srtx"))
        // Each pass from --start opens the files again.
        let arguments = ["--untimed", "--repeat", "3", "--start", "1", "--sub-file", words + "x", Media.clip]
        let repeated = try await Command.run(arguments)
        #expect(repeated.status == 0 && repeated.errorLines.count == 1, "\(repeated.errors)")
        let two = try await Command.run("--subtitle-file", words, Media.clip, Media.clip)
        #expect(two.status == 64 && two.errors.contains("--subtitle-file is for one input."))
    }

    @Test("--subtitle-encoding is the encoding of a subtitle file that is not UTF-8")
    func subtitleEncoding() async throws {
        let folder = try TemporaryFolder()
        let text = Array("1\n00:00:01,000 --> 00:00:02,000\n".utf8) + [0x93, 0xFA, 0x96, 0x7B, 0x0A]
        try folder.write("words.srt", Data(text))
        let outcome = try await Command.run(
            "--untimed",
            "--events",
            "json",
            "--subtitle-file",
            folder.path("words.srt"),
            "--subtitle-encoding",
            "SHIFT_JIS",
            Media.clip
        )
        #expect(outcome.status == 0)
        #expect(outcome.lines.filter { $0.contains("\"text\":\"\u{65E5}\u{672C}\"") }.count == 1)
        let unknown = try await Command.run("--subtitle-encoding", "no such encoding", Media.clip)
        #expect(unknown.status == 64 && unknown.errors.contains("--subtitle-encoding"))
    }

    @Test("Cues are reported among the events", .enabled(if: Media.corpus != nil))
    func wordsComeAmongTheEvents() async throws {
        let file = try #require(Media.corpus).appendingPathComponent("subtitles/srt-in.mkv").path
        let arguments = ["--untimed", "--events", "json", "--subtitle-track", "2", file]
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 0)
        let cues = outcome.lines.filter { $0.contains("\"event\":\"cue\"") }
        #expect(
            cues == [
                "{\"time\":0,\"event\":\"cue\",\"item\":0,\"text\":\"This is the first subtitle.\","
                    + "\"from\":0,\"to\":1.234,\"track\":2}"
            ]
        )
        for _ in 0..<3 { #expect(try await Command.run(arguments).text == outcome.text) }
        let wrong = try await Command.run("--untimed", "--subtitle-track", "ger", file)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("no subtitle track in language ger; available: 2"))
    }
}
