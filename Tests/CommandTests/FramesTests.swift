import Foundation
import TestSupport
import Testing

@testable import vplay

@Suite("Frames for programs", .enabled(if: Media.isMade))
struct FramesTests {
    private let frameBytes = 320 * 180 * 3

    @Test("Raw frames are those that playing delivers")
    func raw() async throws {
        let frames = try await Command.run("frames", Media.clip, "-o", "-")
        let played = try await Command.run(
            "--untimed",
            "--audio",
            "none",
            "--video",
            "raw:-",
            "--pixel-format",
            "rgb24",
            Media.clip
        )
        #expect(frames.status == 0 && frames.output.count == 90 * frameBytes)
        #expect(frames.output == played.output)
    }

    @Test(
        "A NumPy file has its shape and type in the header, and the frames of raw output",
        arguments: ["rgb24", "rgbf32", "gray", "rgba"]
    )
    func array(_ format: String) async throws {
        let folder = try TemporaryFolder()
        let options = ["--count", "4", "--size", "32x18", "--pixel-format", format]
        let written = try await Command.run(["frames", Media.clip] + options + ["-o", folder.path("a.npy")])
        #expect(written.status == 0 && written.errors.isEmpty && written.output.isEmpty)
        let raw = try await Command.run(["frames", Media.clip] + options + ["-o", "-"])
        let file = try Data(contentsOf: folder.file("a.npy"))
        let channels = ["rgb24": 3, "rgbf32": 3, "gray": 1, "rgba": 4][format] ?? 0
        let type = format == "rgbf32" ? "<f4" : "|u1"
        let header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (4, 18, 32, \(channels)), }"
        #expect(file.prefix(10) == Data([0x93] + Array("NUMPY".utf8) + [1, 0, 118, 0]))
        let text = String(decoding: file[10..<128], as: UTF8.self)
        #expect(text.trimmingCharacters(in: .whitespacesAndNewlines) == header && text.hasSuffix("\n"))
        #expect(
            file[128...] == raw.output
                && raw.output.count == 4 * 18 * 32 * channels * (format == "rgbf32" ? 4 : 1)
        )
    }

    @Test("Times in any order, a rate with a limit and a count give the frames of a snapshot at these times")
    func sampling() async throws {
        let folder = try TemporaryFolder()
        let choices: [(options: [String], times: [String])] = [
            (["--at", "2.5", "--at", "0.5", "--at", "2.5"], ["2.5", "0.5", "2.5"]),
            (["--fps", "2", "--limit", "3"], ["0", "0.5", "1"]),
            (["--count", "3"], ["0.5", "1.5", "2.5"]),
        ]
        for (index, choice) in choices.enumerated() {
            let outcome = try await Command.run(
                ["frames", Media.clip] + choice.options + ["-o", folder.path("\(index)-%d.png")]
            )
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
            for (number, time) in choice.times.enumerated() {
                let still = folder.path("still-\(time).png")
                _ = try await Command.run("snapshot", Media.clip, "--at", time, "-o", still)
                let frame = try Data(contentsOf: folder.file("\(index)-\(number + 1).png"))
                let expected = try Data(contentsOf: URL(fileURLWithPath: still))
                #expect(frame == expected)
            }
            #expect(
                !FileManager.default.fileExists(atPath: folder.path("\(index)-\(choice.times.count + 1).png"))
            )
        }
        let keys = try await Command.run("frames", Media.clip, "--key-frames", "--size", "8x8", "-o", "-")
        // Three frames of 8x8 pixels with three bytes each.
        #expect(keys.output.count == 576)
    }

    @Test("A file whose edit list begins after its only key frame has no key frames, which is no error")
    func hiddenKeyFrame() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let made = try await Command.shell(
            """
            ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48:r=10:d=1 -c:v libx264 -g 100 \
                -avoid_negative_ts disabled -output_ts_offset -0.5 "$1"
            """,
            path
        )
        #expect(made.status == 0, "\(made.errors)")
        let all = try await Command.run("frames", path, "--size", "2x2", "-o", "-")
        #expect(all.status == 0 && !all.output.isEmpty)
        let keys = try await Command.run("frames", path, "--key-frames", "--size", "2x2", "-o", "-")
        #expect(keys.status == 0 && keys.output.isEmpty && keys.errors.isEmpty)
        withExtendedLifetime(folder) {}
    }

    @Test(
        "Paletted video has its palette after a seek",
        arguments: [("rawvideo", "avi"), ("smc", "mov")]
    )
    func palette(codec: String, container: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.\(container)")
        let made = try await Command.shell(
            """
            ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48:r=10:d=1 -c:v \(codec) -pix_fmt pal8 "$1"
            """,
            path
        )
        #expect(made.status == 0, "\(made.errors)")
        // The whole file is read without a seek.
        let all = try await Command.run("frames", path, "-o", "-")
        let size = 64 * 48 * 3
        try #require(all.output.count == 10 * size)
        let found = try await Command.run("frames", path, "--at", "0.5", "--at", "0.2", "-o", "-")
        #expect(found.output.prefix(size) == all.output[(5 * size)..<(6 * size)])
        #expect(found.output.dropFirst(size) == all.output[(2 * size)..<(3 * size)])
        withExtendedLifetime(folder) {}
    }

    @Test(
        "The header describes the raw frames that follow",
        arguments: [
            ("gray", #""channels":1,"dtype":"uint8","byteCount":48"#, 48),
            ("yuv420p", #""channels":null,"dtype":null,"byteCount":72"#, 72),
        ]
    )
    func header(format: String, members: String, byteCount: Int) async throws {
        let outcome = try await Command.run(
            "frames",
            Media.clip,
            "--fps",
            "2",
            "--size",
            "8x6",
            "--pixel-format",
            format,
            "--header",
            "-o",
            "-"
        )
        let end = try #require(outcome.output.firstIndex(of: UInt8(ascii: "\n")))
        let header =
            #"{"count":6,"width":8,"height":6,"pixelFormat":"\#(format)",\#(members),"times":[0,0.5,1,1.5,2,2.5]}"#
        #expect(String(decoding: outcome.output[..<end], as: UTF8.self) == header)
        #expect(outcome.output.count - end - 1 == 6 * byteCount)
    }

    @Test(
        "The header counts the frames that follow, also of rates that do not divide the duration",
        arguments: ["25", "7", "29.97", "0.3"]
    )
    func count(rate: String) async throws {
        for input in [Media.clip, Media.uneven, Media.fixture("clip-vp9-opus.webm")] {
            let outcome = try await Command.run(
                "frames",
                input,
                "--fps",
                rate,
                "--size",
                "2x2",
                "--pixel-format",
                "gray",
                "--header",
                "-o",
                "-"
            )
            let end = try #require(outcome.output.firstIndex(of: UInt8(ascii: "\n")))
            let count = (outcome.output.count - end - 1) / 4
            #expect(String(decoding: outcome.output[..<end], as: UTF8.self).hasPrefix("{\"count\":\(count),"))
        }
    }

    @Test("The header counts the frames that follow if the duration is rounded up to a millisecond")
    func roundedDuration() async throws {
        let folder = try TemporaryFolder()
        // 26 frames of 1001/24000 s end at 1084.4 ms, and the file declares 1085 ms.
        let made = try await Command.shell(
            """
            ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48:r=24000/1001 -frames:v 26 -c:v libx264 "$1"
            """,
            folder.path("a.mkv")
        )
        #expect(made.status == 0, "\(made.errors)")
        let options = ["--fps", "23.976", "--size", "2x2", "--pixel-format", "gray", "--header", "-o", "-"]
        let outcome = try await Command.run(["frames", folder.path("a.mkv")] + options)
        let end = try #require(outcome.output.firstIndex(of: UInt8(ascii: "\n")))
        #expect(outcome.output.count - end - 1 == 26 * 4)
        #expect(String(decoding: outcome.output[..<end], as: UTF8.self).hasPrefix("{\"count\":26,"))
        withExtendedLifetime(folder) {}
    }

    @Test("A rate selects as many frames from a pipe as from a file whose audio is longer than its video")
    func rateOfPipe() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48:r=10:d=1 -f lavfi -i sine=d=3 \
                -c:v libx264 -c:a aac -movflags +faststart "$1"
            options='--fps 5 --size 2x2 --pixel-format gray -o -'
            "$vplay" frames "$1" $options | wc -c
            cat "$1" | "$vplay" frames - $options | wc -c
            """,
            folder.path("a.mp4")
        )
        #expect(outcome.lines == ["60", "60"], "\(outcome.errors)")
        withExtendedLifetime(folder) {}
    }

    @Test("A header is refused if its count would derive from an estimated duration")
    func estimatedCount() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mpg")
        let made = try await Command.shell(
            "ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg2video -bf 2 \"$1\"",
            path
        )
        #expect(made.status == 0, "\(made.errors)")
        let options = ["--fps", "25", "--size", "2x2", "--pixel-format", "gray", "-o", "-"]
        let all = try await Command.run(["frames", path] + options)
        #expect(all.status == 0 && all.output.count == 25 * 4)
        let counted = try await Command.run(["frames", path, "--header"] + options)
        #expect(counted.status == 1 && counted.output.isEmpty)
        #expect(counted.errors.contains("a.mpg: --fps with --header needs a known duration"))
        withExtendedLifetime(folder) {}
    }

    @Test(
        "A reader that leaves ends the command quietly; what cannot be read is named",
        arguments: [
            ("frames \"$1\" -o - | head -c 9 >/dev/null; echo ${PIPESTATUS[0]}", "141", ""),
            ("frames /no/such -o -; echo $?", "1", "/no/such: cannot open the file"),
            ("frames \"$2\" -o -; echo $?", "1", "no playable video track"),
            ("frames \"$1\" -o /no/such/a.npy; echo $?", "1", "/no/such/a.npy"),
        ]
    )
    func failures(line: String, status: String, words: String) async throws {
        let outcome = try await Command.shell(
            "\"$vplay\" " + line,
            Media.clip,
            Media.fixture("tone-44100.mp3")
        )
        #expect(outcome.lines.last == status)
        #expect(words.isEmpty ? outcome.errors.isEmpty : outcome.errors.contains(words))
    }

    @Test(
        "Arguments that exclude one another or mean nothing are refused",
        arguments: [
            "--count 2 --fps 1 -o -", "--limit 2 -o -", "--count 0 -o -", "--fps 0 -o -", "--fps nan -o -",
            "--pixel-format yuv420p -o a.npy",
            "--pixel-format nothing -o -", "--header -o a.npy", "-o a.png", "--pixel-format gray -o %d.png",
            "--size 0x1 -o -",
        ]
    )
    func refused(options: String) async throws {
        let outcome = try await Command.run(
            ["frames", Media.clip] + options.split(separator: " ").map(String.init)
        )
        #expect(outcome.status == 64 && outcome.output.isEmpty)
    }

    @Test(
        "An image name without one number is refused, and nothing is written",
        arguments: ["%s.png", "%d%d.png", "%999999999d.jpg", "100%.webp"]
    )
    func patterns(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.run("frames", Media.clip, "--count", "2", "-o", folder.path(name))
        #expect(outcome.status == 64 && outcome.errors.contains("expected one %d or %04d for the number"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("A pipe is read once, with a size; after an error no part file is left")
    func pipeAndPartFile() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            "$vplay" frames - --size 8x8 --pixel-format gray -o - <"$1" | wc -c
            cat "$1" | "$vplay" frames - --size 8x8 --pixel-format gray -o - | wc -c
            cat "$1" | "$vplay" frames - -o - | wc -c
            "$vplay" frames "$2" -o "$3/a.npy"; echo $?
            "$vplay" frames "$2" -o "$3/a.raw"; echo $?
            ls "$3"
            """,
            Media.fixture("clip-h264-aac.ts"),
            Media.fixture("broken-cut-faststart.mp4"),
            folder.url.path
        )
        #expect(
            outcome.lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["5760", "5760", "0", "1", "1"]
        )
        #expect(outcome.errors.contains("-: the input can be read only once; --size is needed"))
    }

    @Test(
        "A signal ends the command with its status, and leaves no part file",
        arguments: [("INT", "130"), ("TERM", "143")]
    )
    func signals(name: String, status: String) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            cd "$2"
            # The input is long, so that the command does not end before it handles the signal.
            ffmpeg -nostdin -v error -stream_loop 99 -i "$1" -an -c copy long.mp4
            for name in a.npy a.raw; do
                for attempt in {1..5}; do
                    rm -f $name.*
                    "$vplay" frames long.mp4 --fps 1000 --size 640x360 -o $name & child=$!
                    until compgen -G "$name.*.part" >/dev/null; do :; done
                    begin=${EPOCHREALTIME/[.,]/}
                    kill -\(name) $child; wait $child; status=$?
                    # The part file stays if a busy machine needs more than a second to remove it.
                    if [ $((${EPOCHREALTIME/[.,]/} - begin)) -lt 1000000 ]; then break; fi
                done
                echo $status
            done
            rm long.mp4
            ls
            """,
            Media.clip,
            folder.path
        )
        #expect(
            outcome.lines == [status, status] && outcome.errors.isEmpty,
            "\(outcome.text) \(outcome.errors)"
        )
        withExtendedLifetime(folder) {}
    }

    @Test("A file as standard input has all options; a pipe is refused where frames are found by seeking")
    func standardInput() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.shell(
            """
            cd "$2"
            "$vplay" frames - --count 3 --size 8x8 --pixel-format gray -o a.raw <"$1"; echo $?
            "$vplay" snapshot - --at 1 -o a.png <"$1"; echo $?
            for options in "--count 3" "--at 1" "--fps 1 --header"; do
                cat "$1" | "$vplay" frames - $options --size 8x8 -o b.raw; echo $?
            done
            cat "$1" | "$vplay" snapshot - --at 1 -o b.png; echo $?
            ls
            """,
            Media.fixture("clip-h264-aac.mp4"),
            folder.path
        )
        #expect(outcome.lines == ["0", "0", "64", "64", "64", "64", "a.png", "a.raw"])
        for words in ["--count needs", "--at needs", "--fps with --header needs"] {
            #expect(outcome.errors.contains("Standard input can be read only once; \(words) a file."))
        }
        #expect(outcome.errors.contains("Standard input can be read only once; stills need a file."))
    }

    @Test("A time past the end writes the last frame and one warning with the duration")
    func pastEnd() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Command.run(
            ["frames", Media.clip, "--at", "999", "--size", "8x8", "-o", folder.path("a.raw")]
        )
        #expect(outcome.status == 0 && outcome.errorLines.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("--at 999 is past the end (duration 3 s); the last frame is used"))
    }

    @Test("An existing file is replaced only when the array is complete, and an input is never written")
    func replacement() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a.npy", Data("old".utf8))
        let failed = try await Command.run(
            "frames",
            Media.fixture("tone-44100.mp3"),
            "-o",
            folder.path("a.npy")
        )
        #expect(failed.status == 1)
        #expect(try Data(contentsOf: folder.file("a.npy")) == Data("old".utf8))
        let own = try await Command.run("frames", folder.path("a.npy"), "-o", folder.path("a.npy"))
        #expect(own.status == 64 && own.errors.contains("would destroy the input"))
    }
}
