import Foundation
import Testing

@Suite("Snapshots", .enabled(if: Media.isMade))
struct SnapshotTests {
    /// Creates a temporary folder.
    private func folder() throws -> URL {
        let url = Media.temporary("stills")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// Returns the size of an image according to FFmpeg.
    private func size(_ url: URL) async throws -> String {
        let line = "ffprobe -v error -show_entries stream=width,height -of csv=p=0:s=x \"$1\""
        return try await Command.shell(line, url.path).lines.first ?? ""
    }

    private func read(_ folder: URL, _ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    @Test("Times in any order give the same images as single times, numbered in the order of the arguments")
    func order() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let times = ["2.5", "0", "1.04", "2.99", "1"]
        let all = times.flatMap { ["--at", $0] }
        var outcome = try await Command.run(
            ["snapshot", Media.clip] + all + ["-o", "all-%d.png"],
            in: folder
        )
        #expect(outcome.status == 0 && outcome.errors.isEmpty && outcome.output.isEmpty)
        for (index, time) in times.enumerated() {
            outcome = try await Command.run(
                ["snapshot", Media.clip, "--at", time, "-o", "one-\(index + 1).png"],
                in: folder
            )
            #expect(outcome.status == 0)
            #expect(
                try read(folder, "all-\(index + 1).png") == read(folder, "one-\(index + 1).png"),
                "at \(time)"
            )
        }
        #expect(try names(folder).count == 10)
        // All five images differ.
        #expect(Set(try (1...5).map { try read(folder, "all-\($0).png") }).count == 5)
    }

    @Test("--subtitles draws those of a track or a file into the image, where some are due")
    func subtitles() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let film = Media.fixture("two-languages.mkv")
        func image(_ time: String, _ options: String...) async throws -> Data {
            let arguments = ["snapshot", film, "--at", time, "-o", "a.png"] + options
            let outcome = try await Command.run(arguments, in: folder)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            return try read(folder, "a.png")
        }
        let plain = try await image("1.5")
        let drawn = try await image("1.5", "--subtitles")
        #expect(drawn != plain)
        #expect(try await image("1.5", "--subtitle-track", "en") == drawn)
        #expect(try await image("0.2", "--subtitles") == image("0.2"))
        let text = "1\n00:00:01,000 --> 00:00:02,000\nSecond\nin two lines\n"
        try Data(text.utf8).write(to: folder.appendingPathComponent("a.srt"))
        #expect(try await image("1.5", "--subtitle-file", "a.srt") == drawn)
        // "caf\u{E9}" in UTF-8 and in ISO 8859-1.
        let cafe = "1\n00:00:01,000 --> 00:00:02,000\ncaf"
        try Data("\(cafe)\u{E9}\n".utf8).write(to: folder.appendingPathComponent("utf8.srt"))
        try Data(Array(cafe.utf8) + [0xE9, 0x0A]).write(to: folder.appendingPathComponent("latin.srt"))
        let accented = try await image("1.5", "--subtitle-file", "utf8.srt")
        #expect(accented != plain)
        #expect(try await image("1.5", "--subtitle-file", "latin.srt") == accented)
        for (options, error) in [
            (["--subtitle-track", "fr"], "no subtitle track in language fr; available: 3 (eng)"),
            (["--subtitle-file", "none.srt"], "none.srt: cannot open the file"),
        ] {
            let outcome = try await Command.run(
                ["snapshot", film, "--at", "1.5", "-o", "b.png"] + options,
                in: folder
            )
            #expect(outcome.status == 1 && outcome.errors.contains(error), "\(outcome.errors)")
        }
        let outcome = try await Command.run(
            ["snapshot", Media.clip, "--at", "1", "--subtitles", "-o", "b.png"],
            in: folder
        )
        #expect(outcome.status == 1 && outcome.errors.contains("no subtitles"))
        #expect(try names(folder) == ["a.png", "a.srt", "latin.srt", "utf8.srt"])
    }

    @Test("Subtitles of an unknown codec are not drawn, and the reason is printed")
    func unknownSubtitles() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let outcome = try await Command.shell(
            """
            cd "$1"
            printf '1\\n00:00:00,000 --> 00:00:01,000\\nHello\\n' > a.srt
            ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48:d=1 -i a.srt -c:v mpeg4 -c:s srt a.mkv
            LC_ALL=C sed 's#S_TEXT/UTF8#S_TEXT/NONE#' a.mkv > b.mkv
            "$vplay" probe b.mkv | grep subtitle
            "$vplay" snapshot b.mkv --subtitles -o a.png
            "$vplay" snapshot b.mkv --subtitle-track 1 -o a.png
            "$vplay" --untimed --subtitle-track 1 b.mkv
            """,
            folder.path
        )
        let reason = "no decoder for this type of track"
        #expect(outcome.lines == ["track 1: subtitle, none, cannot be played: \(reason)"])
        #expect(
            outcome.errorLines == [
                "vplay: b.mkv: its subtitles cannot be drawn: \(reason)",
                "vplay: b.mkv: subtitle track 1 cannot be played: \(reason)",
                "vplay: b.mkv: subtitle track 1 cannot be played: \(reason)",
            ]
        )
    }

    @Test("On a terminal replaced files are reported in one line; an empty file and a new one are not")
    func replaced() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let outcome = try await Command.shell(
            """
            cd "$2"
            : > a.png
            terminal() {
                python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$vplay" "$@" < /dev/null | tr -d '\\r'
            }
            for round in 1 2; do
                terminal snapshot "$1" --at 1 -o a.png
                terminal snapshot "$1" --count 3 -o n%d.png
                terminal frames "$1" --count 2 --size 8x8 -o a.npy
                terminal frames "$1" --count 2 --size 8x8 -o a.raw
                echo "round $round"
            done
            "$vplay" snapshot "$1" --at 1 -o a.png
            """,
            Media.clip,
            folder.path
        )
        let lines = outcome.lines.map { $0.replacing(/n[123]\.png/, with: "n.png") }
        #expect(
            lines == [
                "round 1", "vplay: replaced a.png", "vplay: replaced n.png and 2 other files",
                "vplay: replaced a.npy", "vplay: replaced a.raw", "round 2",
            ],
            "\(outcome.text) \(outcome.errors)"
        )
        #expect(outcome.errors.isEmpty)
    }

    /// The number of times is large enough to be divided into parts.
    @Test("Many times in any order give the same images as a few at a time", arguments: [[], ["--fast"]])
    func parts(options: [String]) async throws {
        let folder = try folder()
        defer { remove(folder) }
        let times = (0..<40).map { (index: Int) -> String in
            let milliseconds = index * 17 % 40 * 74 + index
            return String(Double(milliseconds) / 1000)
        }
        func make(_ times: ArraySlice<String>, _ name: String) async throws {
            let at = times.flatMap { ["--at", $0] }
            let command = ["snapshot", Media.clip] + options + at + ["--size", "80x60", "-o", name]
            let outcome = try await Command.run(command, in: folder)
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
        }
        try await make(times[...], "all-%d.png")
        for start in stride(from: 0, to: times.count, by: 5) {
            try await make(times[start..<start + 5], "few-\(start)-%d.png")
        }
        for index in times.indices {
            let few = "few-\(index / 5 * 5)-\(index % 5 + 1).png"
            #expect(try read(folder, "all-\(index + 1).png") == read(folder, few), "at \(times[index])")
        }
    }

    @Test("An image is the frame that playback shows at that time, also with --fast at a key frame")
    func exactness() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let files = ["a.png", "b.png", "1.png"]
        let runs = [
            ["snapshot", Media.clip, "--at", "1", "-o", "a.png"],
            ["snapshot", Media.clip, "--fast", "--at", "1.2", "-o", "b.png"],
            [
                "--untimed", "--quiet", "--start", "1", "--frames", "1", "--video", "images:%d.png",
                Media.clip,
            ],
        ]
        for run in runs {
            let outcome = try await Command.run(run, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(try names(folder) == files.sorted())
        #expect(Set(try files.map { try read(folder, $0) }).count == 1)
    }

    @Test(
        "Images are upright with square pixels, or have exactly the requested size",
        arguments: [
            ("rotated-90.mp4", [], "180x320"), ("anamorphic.mp4", [], "427x180"),
            ("rotated-90.mp4", ["--size", "99x51"], "99x51"),
            ("clip-h264-aac.mp4", ["--size", "33x200", "--gravity", "resizeAspectFill"], "33x200"),
        ]
    )
    func sizes(name: String, options: [String], expected: String) async throws {
        let folder = try folder()
        defer { remove(folder) }
        for end in ["png", "jpg", "webp"] {
            let arguments = ["snapshot", Media.fixture(name), "--at", "0", "-o", "a.\(end)"] + options
            let outcome = try await Command.run(arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let found = try await size(folder.appendingPathComponent("a.\(end)"))
            #expect(found == expected)
        }
    }

    @Test("An image that is being written when a signal arrives is completed")
    func interrupted() async throws {
        let folder = try folder()
        defer { remove(folder) }
        // The image is larger than a pipe, so that the command waits for the reader. If the system runs the handler of
        // the signal only after the rest has been read, the signal has no effect, and the next attempt counts. The same
        // applies if the rest is read more than a second after the signal, when the command no longer waits.
        let outcome = try await Command.shell(
            """
            cd "$2"
            mkfifo a.png
            for attempt in {1..100}; do
                "$vplay" snapshot "$1" --at 1 --size 1920x1080 -o a.png & pid=$!
                exec 3< a.png
                head -c 1 <&3 > whole.png
                begin=${EPOCHREALTIME/[.,]/}
                kill -TERM $pid
                cat <&3 >> whole.png
                wait $pid; status=$?
                [ $status = 0 ] || [ $((${EPOCHREALTIME/[.,]/} - begin)) -ge 1000000 ] || break
            done
            echo $status
            ffprobe -v error -show_entries stream=width -of csv=p=0 whole.png
            tail -c 8 whole.png | head -c 4
            """,
            Media.clip,
            folder.path
        )
        #expect(outcome.lines == ["143", "1920", "IEND"], "\(outcome.text) \(outcome.errors)")
        #expect(outcome.errors.isEmpty)
    }

    @Test("A PNG with bars that begin at an odd row has the colors of a frame that is laid out in RGB")
    func bars() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let shape = ["--at", "1", "--size", "100x99", "--gravity", "resizeAspect"]
        for (command, name) in [("snapshot", "a.png"), ("frames", "b%d.png")] {
            let outcome = try await Command.run([command, Media.clip] + shape + ["-o", name], in: folder)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        }
        #expect(try read(folder, "a.png") == read(folder, "b1.png"))
    }

    @Test("Sheets hold images left to right and then down, and WebVTT gives the position of each")
    func sheets() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let arguments = [
            "--sprite", "2x2", "--count", "6", "--size", "32x18", "--vtt", "a.vtt", "-o", "s:%d.png",
        ]
        let outcome = try await Command.run(["snapshot", Media.clip] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names(folder) == ["a.vtt", "s:1.png", "s:2.png"])
        let sheet = try await size(folder.appendingPathComponent("s:2.png"))
        #expect(sheet == "64x36")
        let text = String(decoding: try read(folder, "a.vtt"), as: UTF8.self)
        let places = [
            "1.png#xywh=0,0", "1.png#xywh=32,0", "1.png#xywh=0,18", "1.png#xywh=32,18", "2.png#xywh=0,0",
            "2.png#xywh=32,0",
        ]
        let cues = places.enumerated().map { index, place in
            let start = "00:00:0\(index / 2).\(index % 2 * 5)00"
            let end = "00:00:0\((index + 1) / 2).\((index + 1) % 2 * 5)00"
            // "s:1.png" would be a URL with a scheme.
            return "\(start) --> \(end)\ns%3A\(place),32,18\n"
        }
        #expect(text == "WEBVTT\n\n" + cues.joined(separator: "\n"))
        // Each cell is most similar to the image at the middle of its part.
        let stills = ["0.25", "0.75", "1.25", "1.75", "2.25", "2.75"].flatMap { ["--at", $0] }
        let single = ["snapshot", Media.clip, "--size", "32x18", "-o", "t%d.png"] + stills
        #expect(try await Command.run(single, in: folder).status == 0)
        var pictures: [Data] = []
        for index in 1...6 { pictures.append(try await samples(folder, "t\(index).png")) }
        for (index, place) in ["0:0", "32:0", "0:18", "32:18", "0:0", "32:0"].enumerated() {
            let cell = try await samples(folder, "s:\(index / 4 + 1).png", "-vf crop=32:18:\(place)")
            let distances = pictures.map { picture in
                zip(picture, cell).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            }
            #expect(distances.firstIndex(of: distances.min() ?? -1) == index, "\(distances)")
        }
    }

    @Test("A cover whose size only its data declares fills a sheet")
    func coverSheet() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let outcome = try await Command.shell(
            """
            cd "$1"
            ffmpeg -nostdin -v error -f lavfi -i sine=d=2 -f lavfi -i testsrc=s=64x48:d=1:r=1 -map 0 -map 1 \
                -c:v png -disposition:v attached_pic a.m4a
            "$vplay" snapshot a.m4a --sprite 2x1 -o a.png; echo $?
            """,
            folder.path
        )
        #expect(outcome.lines == ["0"] && outcome.errors.isEmpty, "\(outcome.errors)")
        let sheet = try await size(folder.appendingPathComponent("a.png"))
        #expect(sheet == "320x120")
    }

    /// Returns the samples of an image in RGB, as decoded by FFmpeg.
    private func samples(_ folder: URL, _ name: String, _ filter: String = "") async throws -> Data {
        let line = "ffmpeg -v error -i \"$1\" \(filter) -pix_fmt rgb24 -f rawvideo -"
        let bytes = try await Command.shell(line, folder.appendingPathComponent(name).path).output
        // 32x18 pixels with three bytes each.
        #expect(bytes.count == 1728)
        return bytes
    }

    @Test("Without a time the image is a frame that is neither black nor uniform")
    func best() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let clip = Media.fixture("black-picture-gray.mp4")
        for arguments in [["-o", "a.png"], ["--best", "-o", "b.png"], ["--at", "1", "-o", "c.png"]] {
            #expect(try await Command.run(["snapshot", clip] + arguments, in: folder).status == 0)
        }
        #expect(try read(folder, "a.png") == read(folder, "c.png"))
        #expect(try read(folder, "b.png") == read(folder, "c.png"))
    }

    @Test(
        "Invalid arguments end with status 64, and no file is written",
        arguments: [
            ["--at", "1", "-o", "a.gif"], ["--at", "1", "--at", "2", "-o", "a.png"],
            ["--at", "x", "-o", "a.png"],
            ["--count", "0", "-o", "%d.png"], ["--count", "2", "--at", "1", "-o", "%d.png"],
            ["-o", "a%.png"],
            ["--quality", "0", "-o", "a.jpg"], ["--quality", "50", "-o", "a.png"],
            ["--vtt", "a.vtt", "-o", "a.png"],
            ["--sprite", "2x2", "--at", "1", "-o", "a.png"], ["--sprite", "2", "-o", "a.png"], ["--at", "1"],
            ["--sprite", "2x2", "--vtt", "a.png", "-o", "a.png"],
        ]
    )
    func usage(_ arguments: [String]) async throws {
        let folder = try folder()
        defer { remove(folder) }
        let outcome = try await Command.run(["snapshot", Media.clip] + arguments, in: folder)
        #expect(outcome.status == 64 && !outcome.errors.isEmpty)
        #expect(try names(folder).isEmpty)
    }

    @Test("A sheet that is larger than any image is refused")
    func tooLargeSheet() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let arguments = ["--sprite", "100x100", "--count", "1", "--size", "16384x16384", "-o", "a.png"]
        let outcome = try await Command.run(["snapshot", Media.clip] + arguments, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("a sheet of 1638400x1638400 pixels is too large"))
        #expect(try names(folder).isEmpty)
    }

    @Test("The input is never overwritten by an image, numbered or not")
    func destruction() async throws {
        let folder = try folder()
        defer { remove(folder) }
        let clip = try Data(contentsOf: URL(fileURLWithPath: Media.clip))
        try clip.write(to: folder.appendingPathComponent("f3.png"))
        for arguments in [
            ["snapshot", "f3.png", "-o", "f3.png"], ["snapshot", "f3.png", "--count", "4", "-o", "f%d.png"],
            ["--untimed", "--video", "images:f%d.png", "f3.png"],
        ] {
            let outcome = try await Command.run(arguments, in: folder)
            #expect(outcome.status == 64 && outcome.errors.contains("would destroy the input"))
        }
        #expect(try names(folder) == ["f3.png"] && read(folder, "f3.png") == clip)
    }

    @Test("An image that cannot be written is reported, and the others are written")
    func failures() async throws {
        let folder = try folder()
        defer { remove(folder) }
        for (input, message) in [
            ("no.mp4", "No such file"), (Media.fixture("tone-44100.mp3"), "no playable video track"),
        ] {
            for options in [["--at", "0"], ["--count", "1"], ["--best"], ["--sprite", "1x1"]] {
                let arguments = ["snapshot", input] + options + ["-o", "a.png"]
                let outcome = try await Command.run(arguments, in: folder)
                #expect(outcome.status == 1 && outcome.errorLines.count == 1, "\(options)")
                #expect(outcome.errors.contains(message), "\(options): \(outcome.errors)")
            }
        }
        let outcome = try await Command.run(
            ["snapshot", Media.clip, "--at", "0", "-o", "no/a.png"],
            in: folder
        )
        #expect(outcome.status == 1 && outcome.errors.contains("No such file"))
        #expect(try names(folder).isEmpty)
    }

    @Test("A time past the end writes the last frame and one warning with the duration")
    func pastEnd() async throws {
        let folder = try folder()
        defer { remove(folder) }
        for times in [["999"], ["1000", "999"]] {
            let arguments =
                ["snapshot", Media.clip] + times.flatMap { ["--at", $0] } + ["-o", "late-%d.png"]
            let outcome = try await Command.run(arguments, in: folder)
            #expect(outcome.status == 0 && outcome.errorLines.count == 1, "\(outcome.errors)")
            #expect(outcome.errors.contains("past the end (duration 3 s); the last frame is used"))
        }
        let last = try await Command.run(
            ["snapshot", Media.clip, "--at", "2.99", "-o", "last.png"],
            in: folder
        )
        #expect(last.status == 0 && last.errors.isEmpty)
        #expect(try read(folder, "late-1.png") == read(folder, "last.png"))
    }

    private func remove(_ folder: URL) {
        do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
}
