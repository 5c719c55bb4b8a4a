import Foundation
import Testing

@testable import vplay

/// Inputs other than regular files with UTF-8 names.
@Suite("Other inputs", .enabled(if: Media.isMade))
struct PipeInputTests {
    /// Runs a line of bash in a temporary folder, in which `play` counts frames.
    private func run(_ line: String) async throws -> Outcome {
        let script = """
            folder=$(mktemp -d)
            trap 'rm -rf "$folder"' EXIT
            cd "$folder"
            cp "$1" a.ts
            play() { timeout 60 "$vplay" --untimed --audio none --video framemd5:- "$@" | grep -vc '^#'; }
            \(line)
            """
        return try await Command.shell(script, Media.fixture("clip-h264-aac.ts"))
    }

    @Test(
        "A pipe is an input, regardless of its name",
        arguments: [
            "mkfifo p; (sleep 0.2; cat a.ts > p) & play p", "play <(cat a.ts)", "cat a.ts | play /dev/stdin",
            "cat a.ts | play -", "cat a.ts | play /dev/fd/0", "play /dev/stdin < a.ts", "play - < a.ts",
            "mkfifo p; cat a.ts > p & play file:p", "mkfifo p; ln -s p l; cat a.ts > p & play ./l",
        ]
    )
    func pipes(line: String) async throws {
        let outcome = try await run(line)
        #expect(outcome.lines == ["90"])
        #expect(outcome.errors.isEmpty)
    }

    @Test("Waiting for a pipe without a writer can be interrupted")
    func interrupted() async throws {
        let outcome = try await run(
            """
            mkfifo p
            # Events follow the line with the process identifier.
            exec 3< <( (echo pid $BASHPID; exec "$vplay" --events text p); echo $?)
            read -r word pid <&3
            while read -r line <&3; do case $line in *currentItemChanged*) break;; esac; done
            kill -TERM $pid
            tail -1 <&3
            """
        )
        #expect(outcome.lines == ["143"])
    }

    @Test("An MP4 file whose index follows its media is refused with the reason, and plays as a file")
    func indexAtEnd() async throws {
        let film = Media.fixture("clip-moov-at-end.mp4")
        let outcome = try await Command.shell("cat \"$1\" | \"$vplay\" --untimed -; echo $?", film)
        #expect(outcome.lines == ["1"])
        #expect(outcome.errors.contains("the index (moov box) follows the media"), "\(outcome.errors)")
        let file = try await Command.shell("\"$vplay\" --untimed - < \"$1\"; echo $?", film)
        #expect(file.lines == ["0"] && file.errors.isEmpty, "\(file.errors)")
    }

    @Test("An option that requires seeking is an error for a pipe")
    func rangesOfPipes() async throws {
        let outcome = try await run("mkfifo p; \"$vplay\" --start 1 p")
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("Error: p can be read only once"))
    }

    @Test(
        "All forms of file URLs are accepted",
        arguments: [
            "file:$PWD/a.ts", "file://$PWD/a.ts", "file://localhost$PWD/a.ts", "file:a.ts", "FILE:a.ts",
            "file:$PWD/%61.ts", "file:a%20b.ts", "file:a b.ts", "file:50%.ts",
        ]
    )
    func fileURLs(url: String) async throws {
        let outcome = try await run("cp a.ts 'a b.ts'; cp a.ts '50%.ts'; play \"\(url)\"")
        #expect(outcome.lines == ["90"])
        #expect(outcome.errors.isEmpty)
    }

    @Test(
        "A tilde at the beginning of an argument is part of the name",
        arguments: ["play '~/a-of-playhead.ts'", "play 'file:~/a-of-playhead.ts'", "play '~'"]
    )
    func tilde(line: String) async throws {
        let outcome = try await run("mkdir '~'; cp a.ts '~/a-of-playhead.ts'; \(line)")
        #expect(outcome.lines == ["90"])
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test("A file URL of another host is an error")
    func otherHost() async throws {
        let outcome = try await run("\"$vplay\" file://elsewhere/a.ts")
        #expect(outcome.status == 1)
        #expect(outcome.errors == "vplay: file://elsewhere/a.ts: not a valid URL\n")
    }

    @Test("Files with names that are not UTF-8 open as arguments, in a loop and from their folder")
    func rawNames() async throws {
        let outcome = try await run(
            """
            name=$(printf 'x\\377.ts'); other=$(printf 'x\\376.ts')
            mv a.ts "$name"; ffmpeg -nostdin -v error -i "$name" -c copy -t 1 -f mpegts "$other"
            play "$name"; play "$other"; play --repeat 2 --start 2 "$name"; play .
            "$vplay" --untimed --video raw:"$name" "$other" 2>&1 | head -1 | cut -d: -f1
            """
        )
        let counts = outcome.lines.dropLast().compactMap { Int($0) }
        try #require(counts.count == 4, "\(outcome.text) \(outcome.errors)")
        #expect(counts[0] == 90 && counts[2] == 60)
        #expect(counts[3] == counts[0] + counts[1])
        #expect(outcome.lines.last == "Error")
    }

    @Test(
        "Names that are not UTF-8 are refused for all files and folders that are not inputs",
        arguments: [
            "snapshot a.ts -o NAME.png", "snapshot a.ts --output=NAME.png",
            "snapshot a.ts --sprite 2x1 --vtt NAME.vtt -o a.png", "frames a.ts -o NAME.npy",
            "record --test --frames 1 -o NAME.mkv", "--video=raw:NAME a.ts", "--audio wav:NAME a.ts",
            "--play-log NAME a.ts", "--resume=NAME a.ts", "--resume --resume-file NAME a.ts",
            "--include NAME a.ts", "--input-ipc-server NAME a.ts", "--cache=NAME a.ts",
            "--http 0 --media-folder NAME a.ts", "--http 0 --http-token-file NAME a.ts",
            "--tls-ca-file NAME a.ts",
        ]
    )
    func rawOutputNames(arguments: String) async throws {
        let line = arguments.replacing("NAME", with: "$'x\\xff'")
        let outcome = try await run("timeout 60 \"$vplay\" \(line); echo $?; ls")
        #expect(outcome.lines == ["64", "a.ts"], "\(outcome.text)")
        #expect(outcome.errors.contains("names that are not UTF-8 are supported only for inputs."))
    }

    @Test("Inputs with names that are not UTF-8 follow options")
    func rawNamesAfterOptions() async throws {
        let outcome = try await run(
            """
            name=$(printf 'x\\377.ts'); mv a.ts "$name"
            export XDG_STATE_HOME=$PWD
            play --resume "$name"; play --quiet "$name"; play --cache=off "$name"
            """
        )
        #expect(outcome.lines == ["90", "90", "90"], "\(outcome.errors)")
    }

    @Test("A name that is not UTF-8 is printed safely")
    func namesAreTold() {
        let one = RawArguments.text(for: [0x78, -1])
        let two = RawArguments.text(for: [0x78, -2])
        #expect(one != two)
        #expect(RawArguments.bytes(of: one) == [0x78, 0xFF])
        #expect(RawArguments.bytes(of: two) == [0x78, 0xFE])
        #expect(RawArguments.bytes(of: RawArguments.text(for: [0x78])) == nil)
    }
}
