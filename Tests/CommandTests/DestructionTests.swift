import Foundation
import Testing

/// An output is never an input, and a new output replaces an old one only when it is complete.
@Suite("Output files", .enabled(if: Media.isMade))
struct DestructionTests {
    /// Runs a line of bash in a temporary folder that contains the clip `a.mp4`.
    private func run(_ line: String) async throws -> Outcome {
        let script = """
            folder=$(mktemp -d)
            trap 'rm -rf "$folder"' EXIT
            cd "$folder"
            cp "$1" a.mp4
            \(line)
            """
        return try await Command.shell(script, Media.clip)
    }

    @Test(
        "An output that is also an input is an error, and no file is changed",
        arguments: [
            "--audio wav:a.mp4 a.mp4", "--audio wav:./a.mp4 a.mp4", "--video y4m:link.mp4 a.mp4",
            "--video raw:a.mp4 link.mp4", "--video raw:hard.mp4 a.mp4", "--video framemd5:sub/../a.mp4 a.mp4",
            "--video raw:a.mp4 \"file://$PWD/a.mp4\"", "--video raw:a.mp4 \"file:$PWD/a.mp4\"",
            "--video raw:a.mp4 .", "--video raw:a.mp4 /no/such a.mp4", "--video raw:a.mp4 - < a.mp4",
            "--video raw:a.mp4 /dev/stdin < a.mp4", "--video raw:- a.mp4 >> a.mp4",
            "--events json a.mp4 >> a.mp4", "--video raw:other/a.mp4 a.mp4",
            "--video raw:a.mp4 $'x\\xff'",
        ]
    )
    func anInputIsNeverWritten(arguments: String) async throws {
        let outcome = try await run(
            """
            ln -s a.mp4 link.mp4; ln a.mp4 hard.mp4; ln a.mp4 $'x\\xff'; mkdir sub; ln -s . other
            "$vplay" --untimed \(arguments)
            echo $? >&2
            cmp "$1" a.mp4 >&2
            """
        )
        #expect(outcome.errorLines.last == "64")
        #expect(outcome.errors.contains("would destroy the input"))
    }

    @Test(
        "The segments of a playlist are inputs, also with a percent sign in their names",
        arguments: ["s", "50%41"]
    )
    func segments(_ name: String) async throws {
        let outcome = try await run(
            """
            ffmpeg -nostdin -v error -i a.mp4 -c copy -f hls -hls_time 1 -hls_list_size 0 \
                -hls_segment_filename 'seg%d.ts' list.m3u8
            for segment in seg*.ts; do mv "$segment" "\(name)${segment#seg}"; done
            sed -i 's/^seg/\(name)/' list.m3u8
            "$vplay" --untimed --video 'raw:\(name)1.ts' list.m3u8
            echo $? >&2
            test -s '\(name)1.ts' || echo destroyed >&2
            """
        )
        #expect(outcome.errorLines.last == "64")
    }

    @Test(
        "Two outputs cannot be the same file",
        arguments: [
            "--video y4m:a --video raw:./a", "--video y4m:a --video raw:sub/../a",
            "--video y4m:new --audio wav:a",
            "--video y4m:b --audio wav:old", "--video raw:- --audio wav:out > out",
        ]
    )
    func outputsAreTwo(arguments: String) async throws {
        let outcome = try await run(
            """
            mkdir sub; ln -s a new; echo old > b; ln b old
            "$vplay" --untimed --muted \(arguments) a.mp4
            echo $? >&2
            test -e a && echo made >&2
            test "$(cat b)" = old || echo destroyed >&2
            """
        )
        #expect(outcome.errorLines.last == "64")
        #expect(outcome.errors.contains("Two outputs write to"))
    }

    @Test(
        "No output replaces a playlist, subtitles, settings or a numbered input",
        arguments: [
            ("film.vtt", "snapshot a.mp4 --subtitle-file film.vtt --sprite 2x1 --vtt film.vtt -o film.jpg"),
            ("film.vtt", "$play raw:./film.vtt --subtitle-file film.vtt a.mp4"),
            ("list.m3u", "$play raw:list.m3u list.m3u"), ("list.m3u", "$play raw:list.m3u outer.m3u"),
            ("2.png", "frames 2.png --count 3 -o %d.png"), ("2.png", "frames 2.png -o ./%d.png"),
            ("config", "$play raw:config --include config a.mp4"),
            ("own/vplay/config", "$play raw:own/vplay/config a.mp4"),
            ("token", "$play raw:token --http 0 --http-token-file token a.mp4"),
            ("token", "$play raw:token --tls-ca-file token a.mp4"),
        ]
    )
    func otherFiles(name: String, arguments: String) async throws {
        let outcome = try await run(
            """
            printf 'WEBVTT\n\n00:00.000 --> 00:09.000\nA\n' > film.vtt
            echo a.mp4 > list.m3u; echo list.m3u > outer.m3u
            ffmpeg -nostdin -v error -i a.mp4 -frames:v 1 -update 1 2.png
            export XDG_CONFIG_HOME="$PWD/own"
            mkdir -p own/vplay; echo quiet > config; cp config own/vplay/config; echo secret > token
            play="--untimed --frames 1 --audio null --video"
            cp '\(name)' kept
            "$vplay" \(arguments)
            echo $? >&2
            cmp kept '\(name)' >&2
            """
        )
        #expect(outcome.errorLines.last == "64", "\(outcome.errors)")
        #expect(outcome.errors.contains("would destroy the input"))
    }

    @Test("The play log and the file of --resume are outputs", arguments: ["--play-log", "--resume"])
    func otherOutputs(option: String) async throws {
        let outcome = try await run("\"$vplay\" --untimed \(option)=./out --video raw:out a.mp4; ls")
        #expect(outcome.lines == ["a.mp4"])
        #expect(outcome.errors.contains("Two outputs write to out and ./out"))
    }

    @Test("Outputs whose names differ in their Unicode normalization are two files")
    func normalization() async throws {
        let outcome = try await run(
            """
            name=$(printf 'e\\314\\201') other=$(printf '\\303\\251')
            "$vplay" --untimed --audio none --frames 2 --video "y4m:$name" --video "raw:$other" a.mp4
            echo $?
            test -s "$name" && test -s "$other" && echo made
            """
        )
        #expect(outcome.lines == ["0", "made"])
    }

    @Test("Two outputs may be the same device")
    func devices() async throws {
        let outcome = try await run("\"$vplay\" --untimed --video y4m:/dev/null --audio wav:/dev/null a.mp4")
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
    }

    @Test(
        "An input that cannot be played neither changes an existing output nor creates one",
        arguments: ["/no/such.mp4", "notes", "/no/such.mp4 notes"]
    )
    func oldOutputsStay(inputs: String) async throws {
        let outcome = try await run(
            """
            echo words > notes
            for name in old.y4m old.wav hard.md5; do echo old > $name; done
            ln hard.md5 other.md5
            "$vplay" --untimed --video y4m:old.y4m --audio wav:old.wav --video framemd5:hard.md5 --video raw:new \
                \(inputs) 2> words
            echo $?
            cat old.y4m old.wav hard.md5
            ls
            """
        )
        #expect(
            outcome.lines == [
                "1", "old", "old", "old", "a.mp4", "hard.md5", "notes", "old.wav", "old.y4m", "other.md5",
                "words",
            ]
        )
    }

    @Test("A new output preserves the mode, symbolic links and hard links of the old one")
    func replaced() async throws {
        let outcome = try await run(
            """
            echo old > file; chmod 640 file; ln -s file link
            echo old > hard; ln hard other
            ln -s fresh dangling
            play() { "$vplay" --untimed --audio none --frames 2 "$@" a.mp4; }
            play --video raw:expected
            play --video raw:link --video raw:hard --video raw:dangling
            stat -c %a file; readlink link dangling
            for name in file link hard other fresh; do cmp $name expected && echo $name; done
            ls
            """
        )
        #expect(
            outcome.lines == [
                "640", "file", "fresh", "file", "link", "hard", "other", "fresh", "a.mp4", "dangling",
                "expected", "file", "fresh", "hard", "link", "other",
            ]
        )
        #expect(outcome.errors.isEmpty)
    }

    @Test("An incomplete file does not have its final name", arguments: [SIGINT, SIGTERM, SIGKILL])
    func namedWhenWhole(signal: Int32) async throws {
        for attempt in 1...5 {
            if try await isNamedWhenWhole(signal, isLast: attempt == 5) { return }
        }
    }

    /// Examines the file before and after a signal. Returns false if the command took so long that it may have ended
    /// with an incomplete file, unless this is the last attempt.
    private func isNamedWhenWhole(_ signal: Int32, isLast: Bool) async throws -> Bool {
        let folder = Media.temporary("whole")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
        }
        let events = Pipe()
        let running = try Running(
            Command.url.path,
            ["--loop", "--events", "text", "--audio", "none", "--video", "raw:out", Media.clip],
            in: folder,
            input: nil,
            output: events
        )
        // Late frames are dropped, and the last ones of a pass may be written after its end.
        let expectedSize = 90 * Media.pictureBytes
        var text = ""
        var names: [String] = []
        var writtenSize = 0
        while writtenSize < expectedSize {
            let bytes = events.fileHandleForReading.availableData
            try #require(!bytes.isEmpty)
            text += String(decoding: bytes, as: UTF8.self)
            try #require(text.split(separator: "didPlayToEndTime").count < 20, "too few frames are written")
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            guard let name = names.first else { continue }
            writtenSize = try Data(contentsOf: folder.appendingPathComponent(name)).count
        }
        #expect(names.count == 1 && names[0].hasPrefix("out.") && names[0].hasSuffix(".part"))
        let begin = ContinuousClock.now
        running.send(signal)
        _ = try await running.outcome()
        guard ContinuousClock.now - begin < .seconds(2) || isLast else { return false }
        let after = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(after == (signal == SIGKILL ? names : ["out"]))
        let size = try Data(contentsOf: folder.appendingPathComponent(after[0])).count
        #expect(size >= expectedSize)
        if signal != SIGKILL { #expect(size % Media.pictureBytes == 0) }
        return true
    }

    @Test(
        "On a full disk an old file stays as it was, and no part file is left",
        arguments: [
            "snapshot a.mp4 -o old.png", "frames a.mp4 --count 2 -o old%d.png",
            "frames a.mp4 --count 9 --size 16x16 -o old.png.raw",
            "--untimed --audio null --frames 1 --video images:old.png a.mp4",
        ]
    )
    func fullDisk(arguments: String) async throws {
        // A limit for the size of files has the same effect.
        let outcome = try await run(
            """
            echo old > old.png; cp old.png old.png.raw
            (trap '' XFSZ; ulimit -f 4; "$vplay" \(arguments)); echo $?
            cat old.*
            ls
            """
        )
        #expect(outcome.lines == ["1", "old", "old", "a.mp4", "old.png", "old.png.raw"])
        #expect(outcome.errors.contains("File too large"))
    }

    @Test(
        "An output without data is reported",
        arguments: ["--video raw:out", "--video raw:-"]
    )
    func nothingToWrite(output: String) async throws {
        let outcome = try await run("\"$vplay\" --untimed \(output) \"\(Media.fixture("tone-48000.wav"))\"")
        #expect(outcome.status == 1)
        let name = output.hasSuffix("-") ? "standard output" : "out"
        #expect(outcome.errors == "vplay: nothing was written to \(name): no input had data for it\n")
    }

    @Test(
        "An output without data is reported where --frames or --duration ends playback",
        arguments: [
            "--frames 1 a.mp4", "--frames 9 \"\(Media.silent)\"", "--duration 1 --loop \"\(Media.silent)\"",
        ]
    )
    func nothingToWriteUntilLimit(arguments: String) async throws {
        let outcome = try await run(
            "\"$vplay\" --untimed --video null --audio wav:out \(arguments); echo $?; ls"
        )
        #expect(outcome.lines.first == "1" && !outcome.lines.contains("out"))
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("vplay: nothing was written to out: "), "\(outcome.errors)")
    }
}
