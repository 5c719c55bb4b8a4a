import Foundation
import MediaCore
import TestSupport
import Testing

@testable import vplay

/// The file of `--resume`.
@Suite("Resuming")
struct ResumeTests {
    private let state = ResumeState(
        location: "/a \"b\".mp4",
        index: 3,
        position: .seconds(12.5),
        round: 2,
        seed: .max
    )

    @Test("A state is read as it was written")
    func roundTrip() {
        #expect(ResumeState(state.text) == state)
        let plain = ResumeState(location: "a", index: 0, position: .zero)
        #expect(ResumeState(plain.text) == plain)
    }

    @Test("Every damaged file, and a file of another program, is ignored")
    func damaged() {
        let bytes = Array(state.text.utf8)
        for count in 0..<(bytes.count - 1) {
            #expect(ResumeState(String(decoding: bytes[..<count], as: UTF8.self)) == nil, "\(count) bytes")
        }
        for text in [
            "{}", "[]", "null", #"{"format":"x"}"#,
            #"{"format":"vplay-resume-1","location":"a","index":-1,"position":0,"round":1}"#,
            #"{"format":"vplay-resume-1","location":"a","index":0,"position":-1,"round":1}"#,
            #"{"format":"vplay-resume-1","location":"a","index":0,"position":1e10,"round":1}"#,
            #"{"format":"vplay-resume-1","location":"a","index":0,"position":0,"round":0}"#,
            #"{"format":"vplay-resume-1","location":"a","index":0,"position":0,"round":9223372036854775807}"#,
            #"{"format":"vplay-resume-1","location":"a","index":0,"position":0,"round":1,"seed":"x"}"#,
        ] {
            #expect(ResumeState(text) == nil, "\(text)")
        }
    }

    @Test("The file is replaced, created with its folder, and removed")
    func file() {
        let folder = Media.temporary("state")
        defer { unlink(folder.path) }
        let file = ResumeFile(path: folder.path + "/x/resume.json")
        #expect(file.read() == .missing)
        #expect(file.write(state) == 0)
        #expect(file.write(state) == 0)
        #expect(file.read() == .state(state))
        file.remove()
        #expect(file.read() == .missing)
        rmdir(folder.path + "/x")
        rmdir(folder.path)
    }

    @Test(
        "Something else under the path is neither replaced nor removed",
        arguments: ["a film", #"{"format":"x"}"#, "device"]
    )
    func occupied(contents: String) throws {
        let path = contents == "device" ? "/dev/null" : Media.temporary("film.mp4").path
        if contents != "device" { try Data(contents.utf8).write(to: URL(fileURLWithPath: path)) }
        let file = ResumeFile(path: path)
        guard case .ignored = file.read() else {
            Issue.record("\(file.read())")
            return
        }
        #expect(file.write(state) == EEXIST)
        file.remove()
        if contents == "device" { return #expect(FileManager.default.fileExists(atPath: path)) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == contents)
        unlink(path)
    }

    @Test("A pipe is refused without waiting for its writer")
    func pipe() {
        let path = Media.temporary("pipe").path
        defer { unlink(path) }
        #expect(mkfifo(path, 0o600) == 0)
        #expect(ResumeFile(path: path).read() == .ignored("not a regular file"))
    }

    @Test("An empty file is replaced")
    func empty() throws {
        let url = Media.temporary("resume.json")
        defer { unlink(url.path) }
        try Data().write(to: url)
        let file = ResumeFile(path: url.path)
        #expect(file.read() == .missing)
        #expect(file.write(state) == 0)
        #expect(file.read() == .state(state))
    }

    @Test(
        "A damaged file is reported once, and not with --quiet",
        .enabled(if: Media.isMade),
        arguments: [false, true]
    )
    func warning(isQuiet: Bool) async throws {
        let url = Media.temporary("resume.json")
        defer { unlink(url.path) }
        try Data("a film".utf8).write(to: url)
        let options = ["--untimed", "--audio", "none", "--resume=\(url.path)"] + (isQuiet ? ["--quiet"] : [])
        let outcome = try await Command.run(options + [Media.clip])
        #expect(outcome.status == 0)
        let reason = "damaged, or not a file of vplay; the position is not saved"
        #expect(outcome.errors == (isQuiet ? "" : "vplay: warning: \(url.path): \(reason)\n"))
    }

    @Test("A position past the end of a file that has become shorter is no error", .enabled(if: Media.isMade))
    func pastTheEnd() async throws {
        let path = Media.temporary("resume.json").path
        defer { unlink(path) }
        let position = ResumeState(location: Media.clip, index: 0, position: .seconds(12.5))
        #expect(ResumeFile(path: path).write(position) == 0)
        let outcome = try await Command.run(
            "--untimed",
            "--repeat",
            "2",
            "--video",
            "framemd5:-",
            "--resume=\(path)",
            Media.clip
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        // The last frame, and then the second pass.
        #expect(outcome.pictures.count == 91)
    }

    @Test("The saved position stays if the folder is empty, as before it is mounted")
    func emptyFolder() async throws {
        let folder = Media.temporary("empty").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = Media.temporary("resume.json").path
        defer {
            rmdir(folder)
            unlink(path)
        }
        let position = ResumeState(location: folder + "/a.mp4", index: 0, position: .seconds(12.5))
        #expect(ResumeFile(path: path).write(position) == 0)
        let outcome = try await Command.run("--untimed", "--resume=\(path)", folder)
        #expect(outcome.status == 1)
        #expect(ResumeFile(path: path).read() == .state(position))
    }

    @Test("The saved position stays if no file can be opened, as before they are mounted")
    func missingFiles() async throws {
        let path = Media.temporary("resume.json").path
        defer { unlink(path) }
        let file = "/nonexistent/a.mp4"
        let position = ResumeState(location: file, index: 0, position: .seconds(12.5))
        #expect(ResumeFile(path: path).write(position) == 0)
        let outcome = try await Command.run("--untimed", "--resume=\(path)", file, "/nonexistent/b.mp4")
        #expect(outcome.status == 1)
        #expect(ResumeFile(path: path).read() == .state(position))
    }

    @Test(
        "The files before are played if that of the saved position cannot be opened",
        .enabled(if: Media.isMade)
    )
    func missingFile() async throws {
        let path = Media.temporary("resume.json").path
        defer { unlink(path) }
        let file = "/nonexistent/b.mp4"
        let position = ResumeState(location: file, index: 1, position: .seconds(12.5))
        #expect(ResumeFile(path: path).write(position) == 0)
        let outcome = try await Command.run(
            ["--untimed", "--video", "framemd5:-", "--resume=\(path)", Media.clip, file]
        )
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.pictures.count == 90)
        // Everything was played, so the next run begins at the start.
        #expect(ResumeFile(path: path).read() == .missing)
    }

    @Test("A file whose name has another Unicode normalization is not continued", .enabled(if: Media.isMade))
    func normalization() async throws {
        let folder = Media.temporary("names").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, first, second) = (
            folder + "/resume.json", folder + "/e\u{301}.mp4", folder + "/\u{E9}.mp4"
        )
        for path in [first, second] { try FileManager.default.copyItem(atPath: Media.clip, toPath: path) }
        let position = ResumeState(location: second, index: 0, position: .seconds(12.5))
        #expect(ResumeFile(path: path).write(position) == 0)
        let outcome = try await Command.run(
            ["--untimed", "--video", "framemd5:-", "--resume=\(path)", first, second]
        )
        #expect(outcome.status == 0)
        // The last frame of the second file alone.
        #expect(outcome.pictures.count == 1)
    }

    @Test("Reverse playback continues at the saved position", .enabled(if: Media.isMade))
    func reverse() async throws {
        let path = Media.temporary("resume.json").path
        defer { unlink(path) }
        let position = ResumeState(location: Media.silent, index: 0, position: .seconds(1))
        #expect(ResumeFile(path: path).write(position) == 0)
        let options = ["--untimed", "--rate", "-1", "--video", "framemd5:-", Media.silent]
        let continued = try await Command.run(options + ["--resume=\(path)"])
        let whole = try await Command.run(options + ["--end", "1"])
        #expect(continued.status == 0, "\(continued.errors)")
        #expect(continued.pictures == whole.pictures)
    }

    @Test(
        "A saved position within the range of --start and --end is continued, another one is not",
        .enabled(if: Media.isMade)
    )
    func range() async throws {
        let path = Media.temporary("resume.json").path
        defer { unlink(path) }
        func pictures(_ options: [String]) async throws -> [String] {
            let outcome = try await Command.run(
                ["--untimed", "--video", "framemd5:-"] + options + [Media.silent]
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.pictures
        }
        for (seconds, range, played) in [
            (0.5, "--start 1", "--start 1"), (2.5, "--end 1", "--end 1"),
            (0.5, "--start 1 --duration 0.5", "--start 1 --duration 0.5"),
            (1.0, "--end 1", "--start 1 --end 1"),
            (1.5, "--start 1 --end 2", "--start 1.5 --end 2"),
            (0.5, "--rate -1 --start 1", "--rate -1 --start 1"),
            (2.5, "--rate -1 --end 1", "--rate -1 --end 1"),
            (1.5, "--rate -1 --start 1 --end 2", "--rate -1 --start 1 --end 1.5"),
        ] {
            let position = ResumeState(location: Media.silent, index: 0, position: .seconds(seconds))
            #expect(ResumeFile(path: path).write(position) == 0)
            let options = range.split(separator: " ").map(String.init)
            let continued = try await pictures(options + ["--resume=\(path)"])
            let expected = try await pictures(played.split(separator: " ").map(String.init))
            #expect(continued == expected, "\(seconds) s with \(range)")
        }
    }

    @Test("A saved entry whose position is not in the range begins at --start", .enabled(if: Media.isMade))
    func rangeOfEntry() async throws {
        let path = Media.temporary("resume.json").path
        defer { unlink(path) }
        let position = ResumeState(location: Media.silent, index: 1, position: .seconds(0.5))
        #expect(ResumeFile(path: path).write(position) == 0)
        let outcome = try await Command.run(
            ["--untimed", "--video", "framemd5:-", "--start", "1", "--resume=\(path)"]
                + [Media.clip, Media.silent, Media.clip]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        // 2 s of the second and of the third entry.
        #expect(outcome.pictures.count == 120)
    }

    @Test(
        "The order of --shuffle stays the saved one in each run, unless a seed is given",
        .enabled(if: Media.isMade)
    )
    func shuffledOrder() async throws {
        let folder = try TemporaryFolder()
        let names = (0..<6).map { folder.path("\($0).mp4") }
        for name in names { try FileManager.default.copyItem(atPath: Media.silent, toPath: name) }
        let file = ResumeFile(path: folder.path("resume.json"))
        func index(of entry: Int, seed: UInt64) -> Int? {
            ShuffledOrder.permutation(of: names.count, seed: seed, lap: 1).firstIndex(of: entry)
        }
        let entry = try #require(names.indices.first { index(of: $0, seed: 3) != index(of: $0, seed: 5) })
        for (shuffle, seed) in [("--shuffle", 3), ("--shuffle=5", 5)] as [(String, UInt64)] {
            let position = ResumeState(location: names[entry], index: 0, position: .seconds(1), seed: 3)
            #expect(file.write(position) == 0)
            let options = ["--untimed", "--audio", "none", "--duration", "0.5", shuffle]
            let outcome = try await Command.run(options + ["--resume=\(file.path)"] + names)
            #expect(outcome.status == 0, "\(outcome.errors)")
            guard case .state(let saved) = file.read() else {
                Issue.record("\(file.read())")
                return
            }
            #expect(saved.location == names[entry])
            #expect(saved.seed == seed)
            #expect(saved.index == index(of: entry, seed: seed))
        }
        withExtendedLifetime(folder) {}
    }

    @Test(
        "The position of a last file that fails in its middle stays, until no more of it can be played",
        .enabled(if: Media.isMade)
    )
    func failure() async throws {
        let path = Media.temporary("resume.json").path
        defer { unlink(path) }
        let (file, film) = (ResumeFile(path: path), Media.fixture("broken-cut-faststart.mp4"))
        let outcome = try await Command.run("--untimed", "--resume=\(path)", Media.silent, film)
        #expect(outcome.status == 1)
        guard case .state(let saved) = file.read() else {
            Issue.record("\(file.read())")
            return
        }
        #expect(saved.location == film && saved.index == 1)
        #expect(saved.position > .zero)
        for _ in 0..<5 where file.read() != .missing {
            let next = try await Command.run("--untimed", "--resume=\(path)", Media.silent, film)
            #expect(next.status == 1)
        }
        #expect(file.read() == .missing)
    }

    @Test("A single input that is repeated continues in its pass", .enabled(if: Media.isMade))
    func pass() async throws {
        let path = Media.temporary("resume.json").path
        defer { unlink(path) }
        let file = ResumeFile(path: path)
        let arguments = ["--untimed", "--video", "framemd5:-", "--resume=\(path)", Media.silent]
        func play(_ times: Int, _ options: [String] = []) async throws -> Int {
            let outcome = try await Command.run(arguments + ["--repeat", "\(times)"] + options)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.pictures.count
        }
        _ = try await play(3, ["--duration", "4"])
        guard case .state(let saved) = file.read() else {
            Issue.record("\(file.read())")
            return
        }
        #expect(saved.round == 2)
        for (times, round, count) in [(3, 2, 150), (3, 3, 60), (2, 7, 60)] {
            let position = ResumeState(location: Media.silent, index: 0, position: .seconds(1), round: round)
            #expect(file.write(position) == 0)
            #expect(try await play(times) == count, "pass \(round) of \(times)")
            #expect(file.read() == .missing)
        }
        let last = ResumeState(location: Media.silent, index: 0, position: .seconds(1), round: 3)
        #expect(file.write(last) == 0)
        #expect(try await play(3, ["--duration", "1"]) == 30)
    }

    @Test("A pipe, which cannot be sought, begins again", .enabled(if: Media.isMade))
    func unseekable() async throws {
        let outcome = try await Command.shell(
            """
            path=$(mktemp)
            trap 'rm -f "$path"' EXIT
            options="--untimed --resume=$path --audio none --video framemd5:-"
            play() { cat "$1" | "$vplay" $options "${@:2}" - | grep -vc '^#'; }
            play "$1" --frames 30
            grep -c '"location":"-"' "$path"
            play "$1"
            """,
            Media.fixture("clip-h264-aac.ts")
        )
        #expect(outcome.lines == ["30", "1", "90"], "\(outcome.errors)")
    }

    @Test("The default file depends on the inputs and the current folder")
    func names() {
        func path(_ arguments: [String], _ folder: String, _ environment: [String: String]) -> String? {
            ResumeFile(arguments: arguments, folder: folder, environment: environment)?.path
        }
        let home = path(["a"], "/f", ["HOME": "/h"])
        #expect(home?.hasPrefix("/h/.local/state/vplay/resume-") ?? false)
        #expect(
            path(["a"], "/f", ["HOME": "/h", "XDG_STATE_HOME": "/s"])?.hasPrefix("/s/vplay/resume-") ?? false
        )
        #expect(path(["b"], "/f", ["HOME": "/h"]) != home)
        #expect(path(["a"], "/g", ["HOME": "/h"]) != home)
        #expect(path(["a"], "/f", [:]) == nil)
    }
}
