import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import vplay

/// The configuration file of `play`.
@Suite("Configuration file")
struct ConfigurationTests {
    private typealias Option = ConfigurationFile.Option

    @Test(
        "Lines are read as mpv reads them",
        arguments: [
            ("loop", "loop", nil), ("  volume = 50  ", "volume", "50"), ("volume=50 # half", "volume", "50"),
            ("video=\"y4m:a #1.y4m\"", "video", "y4m:a #1.y4m"), ("start='#2' # a chapter", "start", "#2"),
            ("header=%8%X-A: \"b\"#", "header", "X-A: \"b\""), ("header=", "header", ""),
            ("\tmuted\t", "muted", nil),
            ("header=a = b", "header", "a = b"), ("\u{FEFF}loop", "loop", nil), ("loop # again", "loop", nil),
            ("header=%3%äx", "header", "äx"), ("header='it''", nil, nil), ("no-loop", "no-loop", nil),
            ("cache=a\u{2028}b", "cache", "a\u{2028}b"), ("cache=a\u{85}b\u{C}c", "cache", "a\u{85}b\u{C}c"),
        ] as [(String, String?, String?)]
    )
    func lines(text: String, name: String?, value: String?) throws {
        guard let name else {
            #expect(throws: ConfigurationFile.Fault.self) { try ConfigurationFile.parse(text) }
            return
        }
        #expect(try ConfigurationFile.parse(text) == [Option(line: 1, name: name, value: value)])
    }

    @Test("Comments and empty lines are omitted, and lines are counted, whatever their ends")
    func counting() throws {
        let options = try ConfigurationFile.parse("# a\n\nloop\r\n  # b\r\nvolume=1\n")
        #expect(
            options == [
                Option(line: 3, name: "loop", value: nil), Option(line: 5, name: "volume", value: "1"),
            ]
        )
    }

    @Test(
        "What is no option is refused with its line",
        arguments: [
            "[profile]", "--loop", "video=\"a", "video=\"a\" b", "loop yes", "=x", "header=%5%abc",
            "header=%x%a", "a/b=c",
        ]
    )
    func faults(line: String) {
        let fault = #expect(throws: ConfigurationFile.Fault.self) { try ConfigurationFile.parse("\n" + line) }
        #expect(fault?.line == 2)
    }

    // MARK: The command line

    private func merged(_ file: [String], _ line: String) throws -> String {
        let words = line.split(separator: " ").map(String.init)
        let defaults = OptionList(try OtherPlayers.replaced(file.map { "--" + $0 }))
        return try OtherPlayers.translated(words, subcommands: ["probe"]) { _ in defaults }.joined(
            separator: " "
        )
    }

    @Test(
        "The command line replaces the options of the file",
        arguments: [
            (["volume=40"], "a", "--volume=40 a"), (["volume=40"], "--volume 50 a", "--volume 50 a"),
            (["volume=40"], "--volume=50 a", "--volume=50 a"),
            (["video=window", "video=null"], "a", "--video=window --video=null a"),
            (["video=window", "video=null"], "--video none a", "--video none a"),
            (["video=window", "fullscreen"], "-vn a", "--video none a"),
            (["fullscreen", "display=1"], "--video y4m:x a", "--video y4m:x a"),
            (["fullscreen"], "--video window a", "--fullscreen --video window a"),
            (["loop"], "--repeat 2 a", "--repeat 2 a"), (["loop"], "--no-loop a", "a"),
            (["loop"], "--loop=no a", "a"),
            (["loop-file=3"], "--loop a", "--loop a"), (["mute"], "--mute=no a", "a"),
            (["fs"], "--no-fs a", "a"),
            (["quiet"], "--verbose a", "--verbose a"), (["quiet"], "--no-verbose a", "--quiet a"),
            ([], "--quiet --no-verbose a", "--quiet a"), (["loop-file=3"], "--no-loop a", "a"),
            (["shuffle=7"], "--shuffle a", "--shuffle a"),
            (["shuffle=7"], "a", "--shuffle --shuffle-seed=7 a"), (["shuffle=7"], "--no-shuffle a", "a"),
            (["loop", "loop=no"], "a", "a"), (["resume=/x"], "--no-resume a", "a"),
            (["speed=2"], "play a", "play --rate=2 a"), (["speed=2"], "-- -a", "--rate=2 -- -a"),
            (["speed=2"], "probe a", "probe a"),
            (["header=A: b", "header=C: d"], "--header x a", "--header x a"),
        ] as [([String], String, String)]
    )
    func replacing(file: [String], line: String, expected: String) throws {
        #expect(try merged(file, line) == expected)
    }

    // MARK: Files

    /// Runs the command with a configuration file of these lines.
    private func run(_ text: String, _ arguments: String..., extra: String? = nil) async throws -> Outcome {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("vplay"),
            withIntermediateDirectories: true
        )
        try folder.write("vplay/config", Data(text.utf8))
        if let extra { try folder.write("vplay/extra", Data(extra.utf8)) }
        return try await Command.shell(
            #"folder="$1"; shift; XDG_CONFIG_HOME="$folder" "$vplay" "${@//FOLDER/$folder}" 2>"$folder/errors"; status=$?; sed "s|$folder|FOLDER|g" "$folder/errors" >&2; exit $status"#,
            [folder.path] + arguments
        )
    }

    @Test("Options of the file apply, and --no-config ignores them", .enabled(if: Media.isMade))
    func applies() async throws {
        let text = "# a test\nuntimed\nvideo=framemd5:-\naudio=none\nframes=3\n"
        let with = try await run(text, Media.clip)
        #expect(with.status == 0, "\(with.errors)")
        #expect(with.pictures.count == 3)
        let less = try await run(text, "--frames", "2", Media.clip)
        #expect(less.pictures.count == 2)
        let without = try await run(
            text,
            "--no-config",
            "--untimed",
            "--video",
            "null",
            "--audio",
            "none",
            "--frames",
            "1",
            Media.clip
        )
        #expect(without.status == 0, "\(without.errors)")
        #expect(without.text == "")
    }

    @Test(
        "A wrong line ends the command with its file and line, and status 64",
        arguments: [
            ("loop\nspede=2", "FOLDER/vplay/config:2: Unknown option '--spede'"),
            ("\nvolume=loud", "FOLDER/vplay/config:2: The value 'loud' is invalid for '--volume"),
            ("frames=0", "FOLDER/vplay/config:1: --frames 0: expected 1 or more."),
            ("vo=gpu", "FOLDER/vplay/config:1: Unknown option '--vo=gpu': use --video."),
            ("video=tv", "FOLDER/vplay/config:1: --video tv: expected"),
            ("loop maybe", "FOLDER/vplay/config:1: unexpected characters"),
            ("help", "FOLDER/vplay/config:1: 'help' is for the command line only."),
            ("include=none", "FOLDER/vplay/config:1: include: FOLDER/vplay/none: No such file or directory"),
            ("include=extra", "FOLDER/vplay/extra:2: Unknown option '--x1'"),
        ]
    )
    func wrong(text: String, message: String) async throws {
        let outcome = try await run(text, "x.mp4", extra: "muted\nx1")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        let help = try await run(text, "--help")
        #expect(help.status == 0)
    }

    @Test("An included file replaces options of the file of the user", .enabled(if: Media.isMade))
    func including() async throws {
        let outcome = try await run(
            "frames=5\nuntimed\naudio=none\nvideo=framemd5:-",
            "--include",
            "FOLDER/vplay/extra",
            Media.clip,
            extra: "frames=2"
        )
        #expect(outcome.pictures.count == 2, "\(outcome.errors)")
        let missing = try await run("", "--include", "/nonexistent/playhead", Media.clip)
        #expect(missing.status == 64)
        #expect(missing.errors.contains("/nonexistent/playhead: No such file or directory"))
    }

    @Test("A conflict between a file and the command line names the file")
    func conflict() async throws {
        let outcome = try await run("sync-clock=wall", "--start", "3", "x.mp4")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("Options of FOLDER/vplay/config apply, too."), "\(outcome.errors)")
    }

    @Test("The file of the user is in XDG_CONFIG_HOME, or in .config")
    func places() {
        func path(_ environment: [String: String]) -> String? {
            ConfigurationFile(environment: environment)?.path
        }
        #expect(path(["XDG_CONFIG_HOME": "/x", "HOME": "/home/a"]) == "/x/vplay/config")
        #expect(path(["XDG_CONFIG_HOME": "relative", "HOME": "/home/a"]) == "/home/a/.config/vplay/config")
        #expect(path(["HOME": "/home/a"]) == "/home/a/.config/vplay/config")
        #expect(path([:]) == nil)
    }

    @Test("Every flag of the table is an option of play")
    func flags() throws {
        for flag in OtherPlayers.flags {
            #expect(throws: Never.self) { _ = try PlayCommand.parse(["--" + flag]) }
        }
    }
}
