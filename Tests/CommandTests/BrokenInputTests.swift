import Foundation
import TestSupport
import Testing

@Suite("Broken inputs")
struct BrokenInputTests {
    /// Checks for exit status 1 and one message that names the input, or exit status 0 without messages.
    private func check(_ path: String, _ outcome: Outcome, mayPlay: Bool) {
        if mayPlay, outcome.status == 0 {
            #expect(outcome.errors.isEmpty)
        } else {
            #expect(outcome.status == 1)
            #expect(outcome.errorLines.count == 1)
            #expect(outcome.errors.hasPrefix("vplay: \(path): "))
            #expect(outcome.errors.utf8.count > path.utf8.count + 20)
        }
    }

    @Test(
        "An input that is not media is one error message with its name",
        arguments: [
            "/no/such/file.mp4", "/", "/etc/hostname", "/dev/null", "http://example.invalid/x.mp4", "a://",
        ]
    )
    func whatIsNoMedia(path: String) async throws {
        check(path, try await Command.run("--untimed", path), mayPlay: false)
    }

    @Test(
        "Messages contain neither credentials nor query strings of URLs",
        arguments: [
            (
                "https://user:secret@example.invalid/x.mp4?token=secret#secret",
                "https://example.invalid/x.mp4"
            ),
            ("http://user:secret/1@elsewhere/x.mp4?token=secret", "http://elsewhere/x.mp4"),
            ("file://user:secret@elsewhere/x.mp4?token=secret", "file://elsewhere/x.mp4"),
            ("ht tp://user:secret@elsewhere/x.mp4?token=secret", "ht tp://elsewhere/x.mp4"),
        ]
    )
    func secretsAreNotRepeated(url: String, name: String) async throws {
        let outcome = try await Command.run(url)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("vplay: \(name): "))
        #expect(!outcome.errors.contains("secret"))
    }

    @Test("Messages about wrong usage contain neither credentials nor query strings of URLs")
    func secretsInWrongUsage() async throws {
        let url = "https://user:secret@example.invalid/x.mp4?token=secret"
        for arguments in [["probe", "a", url], ["--no-such=\(url)", "a"], ["--header", "secret", "a"]] {
            let outcome = try await Command.run(arguments)
            #expect(outcome.status == 64 && outcome.errors.hasPrefix("Error: "))
            #expect(!outcome.errors.contains("secret"), "\(outcome.errors)")
        }
    }

    @Test(
        "An empty location is reported as such",
        arguments: [[""], ["probe", ""], ["snapshot", "", "-o", "a.png"]]
    )
    func emptyLocation(arguments: [String]) async throws {
        let outcome = try await Command.run(arguments)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("the location is empty"))
        #expect(!outcome.errors.contains("folder"))
    }

    @Test(
        "A broken file is one error message with its name",
        .enabled(if: Media.isMade),
        arguments: [
            "broken-empty.mp4", "broken-text.mp4", "broken-playlist.mp4", "broken-cut-moov-at-end.mp4",
            "broken-cut-faststart.mp4", "broken-huge-picture.webm", "broken-huge-picture-hidden.webm",
            "many-streams.mka",
        ]
    )
    func brokenFixtures(name: String) async throws {
        let path = Media.fixture(name)
        check(path, try await Command.run("--untimed", path), mayPlay: false)
        // An input that does not exist has the same kind of message as a broken one.
        let probe = try await Command.run("probe", "--json", path)
        #expect(probe.status == 0 || probe.output.isEmpty)
        check(path, probe, mayPlay: true)
    }

    @Test(
        "A format that is not supported is named, without the list of those that are",
        arguments: [
            ("a.ico", "ico"), ("a.xbm", "xbm"), ("a.jpg", "xbm"), ("a.svg", "svg"),
        ]
    )
    func refusedFormats(name: String, format: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        if format == "svg" {
            let text = #"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>"#
            try folder.write(name, Data(text.utf8))
        } else {
            let made = try await Command.shell(
                """
                ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x64 -frames:v 1 "$1.\(format)"
                mv "$1.\(format)" "$1"
                """,
                path
            )
            #expect(made.status == 0, "\(made.errors)")
        }
        let outcome = try await Command.run("--untimed", path)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "vplay: \(path): the format \"\(format)\" is not supported\n")
        withExtendedLifetime(folder) {}
    }

    @Test(
        "An input without enabled tracks is an error",
        .enabled(if: Media.isMade),
        arguments: [["--video", "none", "video-only.mp4"], ["--audio", "none", "tone-48000.wav"]]
    )
    func nothingOfItIsWanted(arguments: [String]) async throws {
        let path = Media.fixture(arguments[2])
        let outcome = try await Command.run("--untimed", arguments[0], arguments[1], path)
        check(path, outcome, mayPlay: false)
        #expect(outcome.errors.contains("all playable tracks are disabled"))
    }

    @Test("Each input after one without enabled tracks is played, in order", .enabled(if: Media.isMade))
    func inputsAfterOneWithoutEnabledTracks() async throws {
        let names = [
            "tone-44100.mp3", "video-only.mp4", "tone-44100.mp3", "tone-48000.wav", "tone-44100.mp3",
        ]
        let outcome = try await Command.run(
            ["--untimed", "--video", "none", "--events", "text"] + names.map { Media.fixture($0) }
        )
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        let ends = outcome.lines.filter { $0.contains(" didPlayToEndTime") }
        #expect(ends.map { $0.split(separator: " ").last } == ["item=0", "item=2", "item=3", "item=4"])
    }

    @Test("Inputs after a broken one are played", .enabled(if: Media.isMade))
    func theRestIsStillPlayed() async throws {
        let broken = Media.fixture("broken-text.mp4")
        let outcome = try await Command.run(
            "--untimed",
            "--video",
            "framemd5:-",
            "--audio",
            "none",
            broken,
            Media.silent,
            "/no/such",
            Media.silent
        )
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 2)
        #expect(outcome.pictures.count == 180)
    }

    @Test("A truncated file is played up to its end", .enabled(if: Media.isMade))
    func whatIsThereOfACutFileIsPlayed() async throws {
        let path = Media.fixture("broken-cut-faststart.mp4")
        let outcome = try await Command.run("--untimed", "--video", "framemd5:-", path)
        #expect(outcome.status == 1)
        #expect((1..<90).contains(outcome.pictures.count))
    }

    @Test(
        "Truncated uncompressed audio is an error, in a file and in a pipe, unless its length is not declared",
        .enabled(if: Media.isMade),
        arguments: ["wav", "rf64", "w64", "aiff", "au"]
    )
    func truncatedSamples(container: String) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            cd "$1"
            case $3 in rf64) options='-rf64 always -f wav';; *) options="-f $3";; esac
            play() { "$vplay" --untimed --video none --audio wav:o.wav "$@"; echo $?; }
            ffmpeg -nostdin -v error -i "$2" $options whole
            play whole
            head -c 100000 whole > part
            play part
            cat part | play -
            case $3 in wav | au)
                # FFmpeg does not know the length when it begins to write. It cannot read such a stream of the others.
                ffmpeg -nostdin -v error -i "$2" $options - | cat > stream
                play stream
                cat stream | play -
            esac
            """,
            folder.path,
            Media.fixture("tone-48000.wav"),
            container
        )
        let others = ["wav", "au"].contains(container) ? ["0", "0"] : []
        #expect(outcome.lines == ["0", "1", "1"] + others, "\(outcome.text)")
        #expect(outcome.errorLines.count == 2, "\(outcome.errors)")
        for (line, name) in zip(outcome.errorLines, ["part", "-"]) {
            #expect(line.hasPrefix("vplay: \(name): file truncated: the data ends at 1.04"), "\(line)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test("The declared length of ADPCM counts its bits per sample")
    func adpcmLength() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            cd "$1"
            ffmpeg -nostdin -v error -f lavfi -i sine=d=5 -c:a adpcm_yamaha a.wav
            # Without the chunk that has the number of samples.
            LC_ALL=C sed 's/fact/junk/' a.wav | "$vplay" probe - | grep -o '^duration: 5[.]01'
            """,
            folder.path
        )
        #expect(outcome.lines == ["duration: 5.01"], "\(outcome.text) \(outcome.errors)")
        withExtendedLifetime(folder) {}
    }

    @Test(.enabled(if: Media.corpus != nil), arguments: Media.references(".probe.json"))
    func everyCorpusFileEndsInOrder(path: String) async throws {
        guard let corpus = Media.corpus else { return }
        // A few hundred frames show whether the file opens and plays.
        let outcome = try await Command.run(["--untimed", "--quiet", "--frames", "300", path], in: corpus)
        check(path, outcome, mayPlay: true)
    }
}
