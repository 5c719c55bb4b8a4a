import Foundation
import Testing

@Suite("Command line")
struct UsageTests {
    @Test(
        "Invalid arguments end with status 64 and an error message",
        arguments: [
            "", "--volume 200 x", "--volume nan x", "--rate 0 x", "--rate nan x", "--rate 33 x",
            "--rate=-33 x", "--rate 1e-7 x", "--rate=-4e-7 x",
            "--frames 0 x", "--repeat 0 x",
            "--watch --repeat 2 /",
            "--loop --repeat 2 x", "--start abc x", "--start -x x", "--start 3 --end 2 x", "--duration 0 x",
            "--threads 0 x", "--frame-cache -1 x", "--size 0x0 x", "--gravity up x", "--deinterlace up x",
            "--dynamic-range up x",
            "--video nonsense x",
            "--video y4m x",
            "--video y4m: x",
            "--audio nonsense x", "--video none --audio none x", "--video y4m:- --video raw:- x",
            "--video y4m:- --audio wav:- x", "--video y4m:- --events json x", "--video raw:a --video raw:a x",
            "--quiet --verbose x", "--no-such-option x", "--events xml x", "--start 1 -",
            "bench --threads x y",
            "bench",
            "probe", "probe a b", "--trace file x", "--frames 1 --video none x",
            "help nosuch", "help probe nosuch",
        ]
    )
    func wrongUsage(line: String) async throws {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorLines.first?.hasPrefix("Error: ") == true)
    }

    @Test("The version includes the versions of FFmpeg's libraries")
    func version() async throws {
        let outcome = try await Command.run(["--version"])
        #expect(outcome.status == 0)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("vplay ") == true)
        #expect(lines.last?.contains("libavcodec ") == true)
    }

    @Test(
        "Help is available for each command",
        arguments: ["--help", "play --help", "probe --help", "bench --help"]
    )
    func help(line: String) async throws {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("USAGE: vplay"))
    }

    @Test("The message about a command that does not exist names it")
    func unknownCommand() async throws {
        for words in [["help", "nosuch"], ["help", "probe", "nosuch"]] {
            let outcome = try await Command.run(words)
            #expect(outcome.errorLines.first?.hasPrefix("Error: Unknown command 'nosuch'. ") == true)
        }
        for words in [["help"], ["help", "probe"], ["help", "help"], ["help", "--help"]] {
            let outcome = try await Command.run(words)
            #expect(outcome.status == 0 && outcome.text.hasPrefix("OVERVIEW: "))
        }
    }

    @Test("The message about a stream that is not supported names the pipe that plays it")
    func streams() async throws {
        let pipe = "; use a pipe: ffmpeg -i URL -c copy -f mpegts - | vplay -"
        for (command, location, hint) in [
            ("play", "rtsp://u:secret@camera.example/x?t=1", pipe), ("play", "RTMP://a.example/x", pipe),
            ("play", "udp://@239.0.0.1:1234", pipe), ("probe", "srt://a.example:9", pipe),
            ("play", "gopher://a.example/x", ""),
        ] {
            let outcome = try await Command.run(command, location)
            let scheme = location.prefix { $0 != ":" }.lowercased()
            #expect(outcome.status == 1)
            #expect(outcome.errorLines.count == 1 && !outcome.errors.contains("secret"))
            let line = outcome.errorLines.first { $0.hasPrefix("vplay: ") }
            #expect(line?.hasSuffix("unsupported URL scheme: \(scheme)\(hint)") == true, "\(outcome.errors)")
        }
    }

    @Test("An output that cannot be created is named in the message")
    func anOutputThatCannotBeMadeIsNamed() async throws {
        let outcome = try await Command.run("--video", "y4m:/no/such/folder/x.y4m", "x")
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("/no/such/folder/x.y4m"))
    }
}
