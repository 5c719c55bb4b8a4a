import ArgumentParser
import Playhead
import Testing

@testable import vplay

@Suite("Arguments")
struct ArgumentTests {
    @Test(
        "Times are parsed exactly, and invalid ones are rejected",
        arguments: [
            ("0", 0, 1), ("3.2", 32, 10), ("3.200", 32, 10), ("90", 90, 1), ("1:30", 90, 1),
            ("01:02:03.5", 37235, 10), ("100:00", 6000, 1), ("0.000000001", 1, 1_000_000_000), ("3.", 0, 0),
            (".5", 0, 0), ("", 0, 0), ("-1", 0, 0), ("+1", 0, 0), ("1e3", 0, 0), ("1:60", 0, 0),
            ("1:2:3:4", 0, 0),
            ("0.1234567891", 0, 0), ("nan", 0, 0), ("1:-2", 0, 0), ("9223372036854775807:00", 0, 0),
            ("٣", 0, 0),
            ("9223372036854775807.5", 0, 0), ("1.5:2", 0, 0), ("1 ", 0, 0),
        ] as [(String, Int64, Int32)]
    )
    func times(text: String, value: Int64, timescale: Int32) {
        let time = TimeArgument(argument: text)?.time
        #expect(time == (timescale == 0 ? nil : MediaTime(value: value, timescale: timescale)))
    }

    @Test(
        "Sizes are parsed",
        arguments: [("640x360", true), ("0x1", false), ("640", false), ("1x2x3", false), ("-1x2", false)]
    )
    func sizes(text: String, isValid: Bool) {
        #expect((SizeArgument(argument: text) != nil) == isValid)
    }

    @Test("Several keys in one read are parsed")
    func keysComeInOneRead() {
        let bytes = Array(" p\u{1B}[C\u{1B}[Dxq".utf8)
        #expect(Key.parse(bytes) == [.togglePause, .togglePause, .forward, .back, .quit])
        #expect(Key.parse([0x1B]).isEmpty)
        #expect(Key.parse([0x1B, 0x5B]).isEmpty)
    }

    @Test("An escape sequence is never parsed as other keys, in one part or in several")
    func escapeSequences() {
        let none = [
            "[20~", "[15;2~", "OP", "[[A", "[1;5C", "]0;m9q\u{7}", "Pq0m\u{1B}\\", "m", "[M q9", "[?1;2c",
            "[200~", "O9",
        ]
        for text in none {
            let bytes = Array("\u{1B}\(text) ".utf8)
            #expect(Key.parse(bytes) == [.togglePause], "\(text)")
            var strokes = KeyStrokes()
            #expect(
                bytes.flatMap { strokes.parse([$0]) }.compactMap(Key.init) == [.togglePause],
                "\(text)"
            )
        }
        let some: [(String, Key)] = [
            ("[A", .forwardMinute), ("[B", .backMinute), ("OC", .forward), ("OD", .back),
            ("[5~", .forwardTenMinutes), ("[6~", .backTenMinutes),
        ]
        for (text, key) in some {
            #expect(Key.parse(Array("\u{1B}\(text)m".utf8)) == [key, .toggleMute])
        }
        #expect(
            Key.parse(Array("<>?\u{1B}\u{1B}[Cq".utf8)) == [
                .previousInput, .nextInput, .help, .forward, .quit,
            ]
        )
        var strokes = KeyStrokes()
        #expect(strokes.parse([0x1B]).isEmpty)
        strokes.discardPending()
        #expect(strokes.parse(Array("[".utf8)).compactMap(Key.init) == [.slower])
    }

    @Test(
        "A path is divided at its last slash, also before a combining mark",
        arguments: [
            ("/a/b", "/a/", "b"), ("/a/", "/a/", ""), ("a", nil, "a"), ("/a", "/", "a"), ("", nil, ""),
            ("/a/\u{301}b", "/a/", "\u{301}b"), ("a/\u{301}", "a/", "\u{301}"),
        ] as [(String, String?, String)]
    )
    func paths(path: String, folder: String?, name: String) {
        #expect(path.folderPath == folder)
        #expect(path.nameInFolder == name)
        if !name.isEmpty { #expect(Input(path)?.shortName == name) }
    }

    @Test(
        "Rates are formatted",
        arguments: [(1, "1.0x"), (1 / 1.1, "0.91x"), (-2, "-2.0x"), (1.21, "1.21x"), (10, "10.0x")]
            as [(Float, String)]
    )
    func speeds(rate: Float, text: String) {
        #expect(StatusLine.speed(rate) == text)
    }

    @Test(
        "The status line fits the terminal",
        arguments: [0, 5, 20, 30, 40, 60, 80, 100, 500],
        ["", "2/5 名前の長い長い動画ファイル.mp4"]
    )
    func theStatusLineFitsTheTerminal(columns: Int, label: String) {
        for notice in ["", "volume 85%"] {
            for rate in [0, 1] as [Float] {
                let line = StatusLine.text(
                    time: MediaTime(value: 61, timescale: 1),
                    duration: MediaTime(value: 3723, timescale: 1),
                    rate: rate,
                    dropped: 3,
                    columns: columns,
                    label: label,
                    notice: notice
                )
                #expect(line.columnCount < max(1, columns))
                if columns >= 60, !notice.isEmpty { #expect(line.contains(notice)) }
                if columns >= 40, notice.isEmpty, rate == 0 { #expect(line.contains("paused")) }
                if columns >= 80, rate == 1, label.isEmpty, notice.isEmpty {
                    #expect(line.hasPrefix("01:01 / 1:02:03 [") && line.hasSuffix("] 1.0x dropped 3"))
                }
                if columns >= 500, notice.isEmpty { #expect(line.contains(label)) }
            }
        }
    }

    @Test("A notice has the space of the progress bar if it needs it")
    func noticeInsteadOfBar() {
        func line(_ notice: String) -> String {
            StatusLine.text(
                time: MediaTime(value: 1, timescale: 1),
                duration: MediaTime(value: 20, timescale: 1),
                rate: 1,
                dropped: 0,
                columns: 80,
                label: "a20.mp4",
                notice: notice
            )
        }
        let long = "a notice that is longer than the half of the line"
        #expect(line(long) == "00:01 / 00:20 \(long)  1.0x dropped 0")
        #expect(line("volume 85%").hasPrefix("00:01 / 00:20 [="))
        #expect(line("volume 85%").hasSuffix("] 1.0x dropped 0  volume 85%"))
    }

    @Test(
        "A track is chosen by its language in any code, and by its region if a track has it",
        arguments: [
            ("en", 0), ("eng", 0), ("en-GB", 0), ("pt", 1), ("pt-BR", 2), ("por", 1), ("de-AT", 3),
            ("fr", nil), ("2", 2), ("9", nil),
        ] as [(String, Int?)]
    )
    func tracksByLanguage(text: String, expected: Int?) {
        let tracks = ["en-US", "pt-PT", "pt-BR", "ger"].enumerated()
            .map { index, language in
                var track = Track(id: index, mediaType: .audio, codec: "x", timeBase: Rational(1, 1))
                track.language = language
                return track
            }
        #expect((try? TrackArgument(argument: text)?.pick(.audio, from: tracks).get()) == expected)
    }

    @Test("The file that `pick --play` has chosen is played with the options for the network")
    func playedWithNetworkOptions() throws {
        let options = [
            "--play", "--header", "Authorization: x", "--timeout", "3", "--proxy", "http://p:8080",
        ]
        let url = "https://h/a.mp4"
        let pick = try PickCommand.parse(options + [url])
        let input = try #require(Input(url))
        let play = try pick.playCommand(for: input)
        #expect(play.inputs == [url])
        #expect(play.network.header == ["Authorization: x"])
        #expect(play.network.connection.timeout == 3)
        #expect(play.network.connection.proxy == "http://p:8080")
    }
}

@Suite("JSON")
struct JSONTests {
    @Test("Strings are escaped")
    func whatMustBeEscapedIs() {
        let value = JSONValue.object([
            ("a\"b", .string("\\ \n\t\u{1}\u{7F}ü🎬")), ("n", .null), ("l", .array([])),
        ])
        #expect(value.text == #"{"a\"b":"\\ \n\t\u0001\u007fü🎬","n":null,"l":[]}"#)
    }

    @Test(
        "Times are decimal seconds",
        arguments: [
            (MediaTime(value: 1, timescale: 3), "0.333333333"), (MediaTime(value: -5, timescale: 2), "-2.5"),
            (MediaTime(value: 60, timescale: 1), "60"), (MediaTime.zero, "0"), (MediaTime.indefinite, "null"),
            (MediaTime(nanoseconds: 59_340), "0.00005934"),
        ]
    )
    func timesAreDecimals(time: MediaTime, text: String) {
        #expect(JSONValue.time(time).text == text)
    }

    @Test("Numbers that JSON cannot represent are null")
    func numbersThatJSONDoesNotHaveAreNull() {
        #expect(JSONValue.real(Double.nan).text == "null")
        #expect(JSONValue.real(Float.infinity).text == "null")
    }
}
