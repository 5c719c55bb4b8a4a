import Foundation
import MediaCore
import TestSupport
import Testing

/// Passes over a part of an input, and empty passes.
@Suite("Loops", .enabled(if: Media.isMade))
struct LoopTests {
    private func hashes(_ arguments: [String]) async throws -> [String] {
        let outcome = try await Command.run(
            ["--untimed", "--quiet", "--audio", "none", "--video", "framemd5:-"] + arguments
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        return outcome.pictures.compactMap { $0.split(separator: ",").last.map(String.init) }
    }

    @Test("A list whose entries turn out to have no such track ends")
    func missingTracks() async throws {
        let sound = [UInt8](try Data(contentsOf: Fixture.url("tone-48000.wav")))
        let requested = Locked(Set<String>())
        // The files cannot be opened at first, so their tracks are known only after they have been played.
        let server = try FaultServer { request in
            let isFirst = requested.withLock { $0.insert(request.path).inserted }
            return isFirst ? FaultServer.Answer(404) : .file(sound, for: request)
        }
        defer { server.stop() }
        let options = ["--untimed", "--loop", "--audio-track", "de", "--video", "none", "--events", "text"]
        let outcome = try await Command.run(options + [server.url("/a.wav"), server.url("/b.wav")])
        #expect(outcome.status == 1)
        #expect(Set(outcome.errorLines).count == 2, "\(outcome.errors)")
        #expect(outcome.lines.filter { $0.contains(" didPlayToEndTime") }.count == 2)
    }

    @Test("Each pass plays from --start to --end")
    func fromStartToEnd() async throws {
        let once = try await hashes([Media.clip])
        let part = Array(once[30...60])
        let range = ["--start", "1", "--end", "2"]
        #expect(try await hashes(range + ["--repeat", "3", Media.clip]) == part + part + part)
        #expect(
            try await hashes(range + ["--loop", "--frames", "70", Media.clip]) == part + part + part[..<8]
        )
        #expect(
            try await hashes(["--end", "1", "--repeat", "2", Media.clip]) == Array(once[...30] + once[...30])
        )
        let rest = Array(once[60...])
        #expect(try await hashes(["--start", "2", "--repeat", "2", Media.clip]) == rest + rest)
        let timed = range + ["--loop", "--duration", "1.5", Media.clip]
        #expect(try await hashes(timed).count == part.count + 15)
    }

    @Test("In reverse each pass plays from --end to --start", arguments: ["--rate=-1", "--rate -4"])
    func backward(rate: String) async throws {
        let part = Array(try await hashes([Media.clip])[30...60].reversed())
        let options = rate.split(separator: " ").map(String.init) + ["--start", "1", "--end", "2"]
        #expect(try await hashes(options + ["--repeat", "2", Media.clip]) == part + part)
    }

    @Test("In reverse the whole input is repeated", arguments: [Media.clip, Media.silent])
    func wholeBackward(path: String) async throws {
        let once = Array(try await hashes([path]).reversed())
        #expect(try await hashes(["--rate", "-1", "--repeat", "2", path]) == once + once)
        let frames = String(once.count + 10)
        #expect(try await hashes(["--rate", "-1", "--loop", "--frames", frames, path]) == once + once[..<10])
    }

    @Test("Passes over a part follow without a gap in audio or time")
    func gapless() async throws {
        let file = Media.temporary("laps.wav")
        defer { unlink(file.path) }
        func play(_ options: [String]) async throws -> (sound: Data, stops: Int) {
            let outcome = try await Command.run(
                [
                    "--untimed", "--events", "text", "--audio", "wav:\(file.path)", "--start", "1", "--end",
                    "2",
                ]
                    + options + [Media.clip]
            )
            #expect(outcome.status == 0)
            let stops = outcome.lines.count { $0.contains(" rateChanged ") && $0.contains("to=0.0") }
            return (try Data(contentsOf: file).dropFirst(44), stops)
        }
        let one = try await play([])
        let three = try await play(["--repeat", "3"])
        #expect(one.sound.count == 48_000 * 4)
        #expect(three.sound == one.sound + one.sound + one.sound)
        #expect(three.stops == 1)
    }

    @Test("--duration ends a loop at the sample and at the frame", arguments: ["--loop", "--repeat 3"])
    func durationOfSamples(times: String) async throws {
        let file = Media.temporary("cut.wav")
        defer { unlink(file.path) }
        func play(_ options: [String]) async throws -> (sound: Data, frameCount: Int) {
            let outcome = try await Command.run(
                ["--untimed", "--quiet", "--audio", "wav:\(file.path)"] + options
            )
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            return (try Data(contentsOf: file).dropFirst(44), outcome.pictures.count)
        }
        let loop = times.split(separator: " ").map(String.init)
        let cuts = [("1", 48_000, 30), ("3", 144_000, 90), ("4", 192_000, 120), ("5.0001", 240_005, 151)]
        // The tone has one channel, and the clip two.
        for (path, video, frameSize) in [
            (Media.fixture("tone-48000.wav"), "none", 2), (Media.clip, "framemd5:-", 4),
        ] {
            let pass = try await play(["--video", video, path]).sound
            for (duration, samples, frames) in cuts {
                let part = try await play(loop + ["--duration", duration, "--video", video, path])
                #expect(part.sound == (pass + pass + pass).prefix(samples * frameSize))
                #expect(part.frameCount == (video == "none" ? 0 : frames))
            }
        }
    }

    @Test(
        "A pass of duration 0 is not repeated indefinitely",
        arguments: ["--rate=-2", "--rate=1"],
        ["--loop", "--repeat 3"]
    )
    func nothingToRepeat(rate: String, times: String) async throws {
        let outcome = try await Command.run(
            ["--untimed", rate, "--start", "9"] + times.split(separator: " ").map(String.init) + [Media.clip]
        )
        #expect(outcome.status == 1)
        var expected = ["vplay: \(Media.clip): cannot repeat: the duration of a pass is 0"]
        if rate == "--rate=1" {
            let warning = "--start 9 is past the end (duration 3 s); playback starts at the end"
            expected.insert("vplay: warning: \(Media.clip): \(warning)", at: 0)
        }
        #expect(outcome.errorLines == expected)
    }

    @Test(
        "An audio file is not played in reverse, and the list continues",
        arguments: ["--rate=-1", "--rate -1"]
    )
    func soundBackward(rate: String) async throws {
        let tone = Media.fixture("tone-48000.wav")
        let options = ["--untimed", "--video", "framemd5:-"] + rate.split(separator: " ").map(String.init)
        for inputs in [[tone], [tone, Media.clip], [Media.clip, tone, Media.clip]] {
            let outcome = try await Command.run(options + inputs)
            #expect(outcome.status == 1)
            #expect(outcome.errorLines.count == 1)
            #expect(outcome.errors.hasPrefix("vplay: \(tone): cannot be played in reverse"))
            #expect(outcome.pictures.count == 90 * inputs.count { $0 == Media.clip })
        }
    }
}

/// Inputs of which only a part can be played.
@Suite("Losses", .enabled(if: Media.isMade))
struct LossTests {
    private func run(_ line: String) async throws -> Outcome {
        let script = """
            folder=$(mktemp -d)
            trap 'rm -rf "$folder"' EXIT
            cd "$folder"
            \(line)
            """
        return try await Command.shell(script, Media.clip)
    }

    @Test("A file that is truncated during playback is reported")
    func cutShort() async throws {
        let outcome = try await run(
            """
            ffmpeg -nostdin -v error -stream_loop 9 -i "$1" -c copy -movflags faststart long.mp4
            size=$(stat -c %s long.mp4)
            exec 3< <("$vplay" --rate 4 --buffer 0.5 --audio null --video raw:out --events text long.mp4; echo $?)
            while read -r line <&3; do case $line in *status=playing*) break;; esac; done
            truncate -s $((size / 3)) long.mp4
            while read -r line <&3; do last=$line; done
            echo $last
            test -s out && echo kept
            """
        )
        #expect(outcome.lines == ["1", "kept"])
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("vplay: long.mp4: "))
    }

    @Test(
        "A track with an unsupported codec is reported",
        arguments: ["sed s/avc1/zzzz/g", "sed -e s/mp4a/zzzz/g -e s/esds/zzzz/g"]
    )
    func unplayable(change: String) async throws {
        let outcome = try await run(
            """
            \(change) < "$1" > bad.mp4
            "$vplay" --untimed --video y4m:out.y4m --audio wav:out.wav --repeat 2 bad.mp4
            echo $?
            ls
            """
        )
        let type = change.contains("avc1") ? "video" : "audio"
        #expect(outcome.lines == ["1", "bad.mp4", type == "video" ? "out.wav" : "out.y4m"])
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("vplay: bad.mp4: its \(type) cannot be played"))
    }

    @Test("An end before the first frame is no error of the video", arguments: ["", "late.mp4"])
    func endsBeforeTheFirstFrame(previous: String) async throws {
        let outcome = try await run(
            """
            ffmpeg -nostdin -v error -itsoffset 1 -i "$1" -i "$1" -map 0:v -map 1:a -c copy late.mp4
            for duration in 0.5 1 1.01; do
                "$vplay" --untimed --audio null --events text --duration $duration \(previous) late.mp4 > events
                echo $? $(grep -c readyForDisplay events)
            done
            """
        )
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        // The end is exclusive.
        #expect(outcome.lines == ["0 0", "0 0", "0 1"])
    }

    @Test("A track without any decodable frame is reported")
    func damaged() async throws {
        let outcome = try await run(
            """
            ffmpeg -nostdin -v error -i "$1" -c copy -bsf:v noise=amount=1 bad.mkv
            "$vplay" --untimed --video y4m:out.y4m --audio wav:out.wav bad.mkv
            echo $?
            test -s out.wav && echo sound
            """
        )
        #expect(outcome.lines.first == "1")
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("vplay: bad.mkv: "))
    }
}
