import ArgumentParser
import Foundation
import Testing

@testable import vplay

@Suite("Options of other players")
struct OtherPlayersTests {
    private func translated(_ line: String) throws -> String {
        let words = line.split(separator: " ").map(String.init)
        return try OtherPlayers.translated(words, subcommands: ["probe", "bench"]).joined(separator: " ")
    }

    @Test(
        "What means the same is accepted under its other name",
        arguments: [
            ("--speed 2 a.mp4", "--rate 2 a.mp4"), ("--speed=2 a.mp4", "--rate=2 a.mp4"),
            ("-ss 10 -t 5 a", "--start 10 --duration 5 a"),
            ("--loop=inf a", "--loop a"), ("--loop-file=2 a", "--repeat 3 a"), ("--loop=no a", "a"),
            ("--loop a", "--loop a"),
            ("-loop 0 a", "--loop a"), ("-loop 3 a", "--repeat 3 a"),
            ("--loop-playlist=2 a b", "--repeat 2 a b"),
            ("--mute a", "--muted a"), ("--mute=no a", "a"), ("--no-video a", "--video none a"),
            ("-vn -an a", "--video none --audio none a"),
            ("--vo=null --ao null a", "--video null --audio null a"), ("-fs a", "--fullscreen a"),
            ("--fs=yes a", "--fullscreen a"),
            ("--fullscreen a", "--fullscreen a"), ("--sub-file x.srt a", "--subtitle-file x.srt a"),
            ("--sub-codepage=cp1251 a", "--subtitle-encoding cp1251 a"),
            ("--sub-codepage auto a", "a"),
            ("--alang=de,en a", "--audio-languages de,en a"),
            ("--slang de a", "--subtitle-languages de a"),
            ("--sub-language=de,any a", "--subtitle-languages de,any a"),
            ("--audio-device=auto a", "a"), ("--audio-device=alsa a", "--audio alsa a"),
            ("--audio-device alsa/hw:0,0 a", "--audio alsa:hw:0,0 a"),
            ("--audio-device=pulse/a/b a", "--audio pulse:a/b a"),
            ("--pause a", "--pause a"), ("--pause=yes a", "--pause a"), ("--pause --pause=no a", "a"),
            ("--sid=no a", "a"), ("--aid=no a", "--audio none a"), ("-q a", "--quiet a"),
            ("-v a", "--verbose a"),
            ("-v quiet a", "--quiet a"), ("-loglevel debug a", "--verbose a"), ("-autoexit a", "a"),
            ("-V", "--version"),
            ("play --speed 2 a", "play --rate 2 a"),
        ]
    )
    func accepted(line: String, expected: String) throws { #expect(try translated(line) == expected) }

    @Test(
        "Values, subcommands and what follows -- stay as they are",
        arguments: [
            "--header -ss a", "--start -ss a", "probe -v a", "bench --speed 2 a", "-- -ss 10", "-",
            "--rate -1 a", "a -", "-o x", "--quiet a", "--header=a= b", "-- --cache= a", "probe -- --json= a",
            "a=", "probe a=", "-h", "-help", "probe -h", "--header -hx a", "-- -dash.mp4",
            "probe -- -dash.mp4",
        ]
    )
    func unchanged(line: String) throws { #expect(try translated(line) == line) }

    @Test(
        "A name after one dash that contains an h is an unknown option, and not the help",
        arguments: [
            ("-hwdec auto a", "-hwdec'. Did you mean '--hwdec'?"),
            ("-threads=2 a", "-threads'. Did you mean '--threads'?"),
            ("-dash.mp4", "-dash.mp4'"), ("probe -dash.mp4", "-dash.mp4'"), ("-oh=1 a", "-oh'"),
        ]
    )
    func namesWithHelp(line: String, end: String) {
        let error = #expect(throws: ValidationError.self) { try translated(line) }
        #expect(error?.message == "Unknown option '" + end)
    }

    @Test(
        "An output has no effect on video or audio that is not played",
        arguments: [
            ("--no-video --vo=null a", "--video none a"), ("--vo=null --no-video a", "--video none a"),
            ("-vn --vo tct a", "--video none a"), ("--video none --vo=null a", "--video none a"),
            ("--video=none --vo=null a", "--video=none a"), ("--vid=no --vo=null a", "--video none a"),
            ("--no-audio --ao=null a", "--audio none a"), ("--ao=null --aid=no -- a", "--audio none -- a"),
            ("--no-audio --audio-device=pulse a", "--audio none a"),
            ("--no-video --ao=null a", "--video none --audio null a"),
            ("--no-video --video null a", "--video none --video null a"),
            ("--no-video vo", "--video none vo"), ("--header vo --no-video a", "--header vo --video none a"),
        ]
    )
    func outputs(line: String, expected: String) throws { #expect(try translated(line) == expected) }

    @Test("No video may be requested by several names")
    func noVideo() throws {
        let arguments = try OtherPlayers.translated(["--no-video", "-vn", "-"], subcommands: [])
        #expect(try !PlayOptions(PlayCommand.parse(arguments)).decodesVideo)
        #expect(throws: ValidationError.self) {
            _ = try PlayOptions(PlayCommand.parse(arguments + ["--video", "null"]))
        }
    }

    @Test(
        "Under the name mpv, what programs pass to it is accepted",
        arguments: [
            // Navidrome, with its default command.
            (
                "--audio-device=auto --no-audio-display --pause a.flac --input-ipc-server=/s",
                "--pause a.flac --input-ipc-server=/s"
            ),
            ("--hr-seek=yes a", "a"), ("--keep-open=no a", "a"), ("--no-keep-open a", "a"),
            ("--no-terminal --force-window a", "--quiet a"), ("--volume=40 a", "--volume 0.4 a"),
        ]
    )
    func namedMPV(line: String, expected: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let arguments = try OtherPlayers.translated(words, subcommands: ["probe"], isMPV: true)
        #expect(arguments.joined(separator: " ") == expected)
    }

    @Test("Options that only clients of mpv need are explained under the name vplay")
    func explained() throws {
        let own = try Self.options()
        for name in OtherPlayers.meaningsForMPV.keys where own["--" + name] == nil {
            let error = #expect(throws: ValidationError.self, "\(name)") { try translated("--\(name) a") }
            #expect(error?.message.hasPrefix("Unknown option '--\(name)': ") == true, "\(name)")
        }
        for name in OtherPlayers.explanations.keys {
            #expect(own["--" + name] == nil && OtherPlayers.meanings[name] == nil, "\(name)")
        }
        let error = #expect(throws: ValidationError.self) { try translated("--no-osd a") }
        #expect(error?.message == "Unknown option '--no-osd': there is no text over the frames.")
        #expect(try translated("--volume=50 --cache=off a") == "--volume=50 --cache=off a")
    }

    @Test(
        "A name that has little in common with an unknown option is not suggested",
        arguments: [
            ("-sync", "--end", false), ("--ontop", "--loop", false), ("--intf", "--rate", false),
            ("-x1", "--end", false), ("--ytdl", "--end", false), ("--lop", "--loop", true),
            ("--strat", "--start", true), ("--quit", "--quiet", true), ("--volum", "--volume", true),
            ("--Loop", "--loop", true), ("--audio-trakc", "--audio-track", true), ("--jsn", "--json", true),
        ]
    )
    func suggestions(given: String, suggested: String, isShown: Bool) {
        let line = "Error: Unknown option '\(given)'. Did you mean '\(suggested)'?"
        #expect(Suggestion.checked(line) == (isShown ? line : "Error: Unknown option '\(given)'"))
    }

    @Test(
        "Other lines of a message are unchanged",
        arguments: [
            "", "Usage: vplay play [<options>]", "Error: Unknown option '-x'", "Did you mean '--end'?",
            "'. Did you mean 'Unknown option ''?",
        ]
    )
    func otherLines(line: String) { #expect(Suggestion.checked(line) == line) }

    @Test("Under the name mpv, what changes playback and is not available is refused")
    func refusedAsMPV() {
        for argument in ["--keep-open", "--keep-open=yes", "--keep-open=always", "--vo=gpu"] {
            #expect(throws: ValidationError.self, "\(argument)") {
                try OtherPlayers.translated([argument, "a"], subcommands: [], isMPV: true)
            }
        }
    }

    @Test("--pause pauses the first input, and not those that follow the wall clock")
    func pause() throws {
        #expect(try PlayOptions(PlayCommand.parse(["--pause", "-"])).isPaused)
        #expect(try !PlayOptions(PlayCommand.parse(["-"])).isPaused)
        #expect(throws: ValidationError.self) {
            _ = try PlayOptions(PlayCommand.parse(["--pause", "--sync-clock", "wall", "a.mp4"]))
        }
    }

    @Test("Preferred languages are a list, and no tracks are required")
    func languages() throws {
        let arguments = ["--audio-languages", "de, pt-BR,", "--subtitle-languages", "en", "-"]
        let options = try PlayOptions(PlayCommand.parse(arguments))
        #expect(options.audioLanguages == ["de", "pt-BR"] && options.subtitleLanguages == ["en"])
        #expect(!options.needsLoading)
        #expect(try PlayOptions(PlayCommand.parse(["-"])).audioLanguages.isEmpty)
    }

    @Test("A header of another player stays one argument")
    func headers() throws {
        let arguments = try OtherPlayers.translated(["--user-agent=A B", "x"], subcommands: [])
        #expect(arguments == ["--header", "User-Agent: A B", "x"])
    }

    @Test(
        "What is not the same is refused with the name to use",
        arguments: [
            ("--vo=gpu a", "use --video"), ("--aid=2 a", "use --audio-track"),
            ("--geometry 10x10 a", "use --size"), ("--audio-device=jack/x a", "--audio"),
            ("--audio-device=auto/x a", "--audio"), ("--pause=maybe a", "unknown value"),
            ("--keep-open a", "--loop repeats it"),
            ("--loop=maybe a", "unknown value"), ("--ao", "Missing value"),
            ("--play-log= a b", "'--play-log=': unknown value"), ("a --cache=", "unknown value"),
            ("--sub-file= a", "unknown value"), ("bench --threads= a", "unknown value"),
        ]
    )
    func refused(line: String, words: String) {
        let error = #expect(throws: ValidationError.self) { try translated(line) }
        #expect(error?.message.contains(words) == true)
    }

    @Test("The table's own names are options of play")
    func own() throws {
        let names = try Self.options()
        // The help does not list the names into which options such as `--shuffle=SEED` and `--alang` are translated.
        let hidden = ["--shuffle-seed", "--resume-file", "--audio-languages", "--subtitle-languages"]
        let withValue = Set(names.filter { $0.value }.keys).union(hidden)
        #expect(OtherPlayers.valueOptions == withValue)
        for (name, meaning) in OtherPlayers.meanings {
            let own: [String]
            switch meaning {
            case .option(let option): own = [option]
            case .flag(let arguments): own = arguments
            default: continue
            }
            for option in own where option.hasPrefix("--") { #expect(names[option] != nil, "\(name)") }
            // No option of play is replaced.
            #expect(names["--" + name] == nil, "\(name)")
        }
    }

    /// The options of `play`, and whether they have a value.
    private static func options() throws -> [String: Bool] {
        var options: [String: Bool] = [:]
        for line in PlayCommand.helpMessage(columns: 400).split(separator: "\n") {
            let words = line.trimmingCharacters(in: .whitespaces)
            guard words.hasPrefix("-") else { continue }
            let head = words.components(separatedBy: "  ")[0]
            guard
                let name = head.split(whereSeparator: { " ,".contains($0) }).first(where: {
                    $0.hasPrefix("--")
                })
            else { continue }
            options[String(name)] = head.contains("<")
        }
        return options
    }

    @Test(
        "A volume is a fraction or in percent",
        arguments: [
            ("0", 0), ("0.5", 0.5), ("1", 1), ("50", 0.5), ("50%", 0.5), ("1%", 0.01), ("100", 1),
            ("101", nil), ("-1", nil), ("nan", nil), ("", nil), ("%", nil),
        ] as [(String, Float?)]
    )
    func volume(text: String, volume: Float?) { #expect(VolumeArgument(argument: text)?.volume == volume) }
}
