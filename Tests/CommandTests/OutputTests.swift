import Foundation
import Playhead
import TestSupport
import Testing

@Suite("Outputs", .enabled(if: Media.isMade))
struct OutputTests {
    @Test("y4m is written to standard output")
    func y4mOnStandardOutput() async throws {
        let outcome = try await Command.run("--untimed", "--video", "y4m:-", Media.clip)
        #expect(outcome.status == 0)
        #expect(outcome.output.starts(with: Data("YUV4MPEG2 W320 H180 F30:1 ".utf8)))
        let header = try #require(outcome.output.firstIndex(of: 0x0A)) + 1
        let picture = "FRAME\n".utf8.count + Media.pictureBytes
        #expect(outcome.output.count == header + 90 * picture)
    }

    @Test("y4m of a variable frame rate is one warning, except with --quiet, and other outputs have none")
    func unevenFrames() async throws {
        let arguments = ["--untimed", "--audio", "none", "--video"]
        let outcome = try await Command.run(arguments + ["y4m:-", "--repeat", "2", Media.uneven])
        #expect(outcome.status == 0)
        #expect(outcome.errorLines.count == 1)
        let warning = "vplay: warning: standard output: y4m declares 60/1 frames per second, "
        #expect(outcome.errors.hasPrefix(warning), "\(outcome.errors)")
        let silent = [
            ["y4m:-", "--quiet", Media.uneven], ["framemd5:-", Media.uneven], ["y4m:-", Media.clip],
        ]
        for others in silent {
            let outcome = try await Command.run(arguments + others)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        }
    }

    @Test("Standard input is decoded to raw frames")
    func rawPicturesFromStandardInput() async throws {
        let clip = URL(fileURLWithPath: Media.clip)
        let outcome = try await Command.run(["--untimed", "--video", "raw:-", "-"], input: clip)
        #expect(outcome.status == 0)
        #expect(outcome.output.count == 90 * Media.pictureBytes)
    }

    @Test(
        "With --size frames have exactly that size, upright and with square pixels",
        arguments: ["rotated-90.mp4", "anamorphic.mp4", "video-only.mp4"]
    )
    func aSizeIsThatOfWhatIsWritten(_ name: String) async throws {
        for gravity in ["resizeAspect", "resizeAspectFill", "resize"] {
            let options = ["--untimed", "--frames", "3", "--size", "161x160", "--gravity", gravity]
            let file = Media.fixture(name)
            let outcome = try await Command.run(options + ["--video", "y4m:-", file])
            #expect(outcome.status == 0)
            #expect(outcome.output.starts(with: Data("YUV4MPEG2 W161 H160 F30:1 Ip A1:1 ".utf8)))
            let header = try #require(outcome.output.firstIndex(of: 0x0A)) + 1
            let picture = "FRAME\n".utf8.count + 161 * 160 + 2 * 81 * 80
            #expect(outcome.output.count == header + 3 * picture)
        }
    }

    @Test("raw and y4m are written in the requested pixel format; an unsupported one is an error")
    func pixelFormats() async throws {
        let raw = try await Command.run(
            ["--untimed", "--frames", "2", "--pixel-format", "rgba", "--video", "raw:-", Media.clip]
        )
        #expect(raw.status == 0 && raw.output.count == 2 * 320 * 180 * 4)
        let y4m = try await Command.run(
            ["--untimed", "--frames", "2", "--pixel-format", "yuv444p", "--video", "y4m:-", Media.clip]
        )
        #expect(y4m.status == 0)
        #expect(y4m.output.starts(with: Data("YUV4MPEG2 W320 H180 F30:1 Ip A1:1 C444 ".utf8)))
        for (format, sink) in [
            ("rgba", "y4m:-"), ("nonsense", "raw:-"), ("rgba", "null"), ("rgba", "framemd5:-"),
        ] {
            let outcome = try await Command.run("--pixel-format", format, "--video", sink, Media.clip)
            #expect(outcome.status == 64 && outcome.output.isEmpty)
            #expect(outcome.errors.contains("--pixel-format"))
        }
    }

    @Test("Audio and video are written at the same time")
    func soundAndPicturesTogether() async throws {
        let sound = Media.temporary("sound.wav")
        defer { unlink(sound.path) }
        let outcome = try await Command.run(
            "--untimed",
            "--video",
            "framemd5:-",
            "--audio",
            "wav:\(sound.path)",
            Media.clip
        )
        #expect(outcome.status == 0)
        #expect(outcome.pictures.count == 90)
        let bytes = try Data(contentsOf: sound)
        #expect(bytes.starts(with: Data("RIFF".utf8)))
        let length = 44 + 144_000 * 4
        #expect(bytes.count == length)
    }

    @Test(
        "Audio at other rates has a scaled duration, and its pitch changes only on request",
        arguments: [
            ("--rate=2", 48_000, 480), ("--rate=0.5", 192_000, 480),
            ("--rate=2 --audio-pitch-correction=no", 48_000, 960),
        ]
    )
    func soundAtOtherSpeeds(options: String, length: Int, pitch: Int) async throws {
        let samples = try await tone(options)
        #expect(samples.count == length)
        let crossings = (1..<samples.count).filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }.count
        let periods = length * pitch / 48_000
        // The tolerance is 1 %, because samples that are zero may be counted twice.
        #expect(abs(crossings - periods) * 100 <= periods)
    }

    @Test("Volume and mute apply to the audio that is written")
    func volumeIsInWhatIsWritten() async throws {
        let plain = try await tone("--volume 1")
        let half = try await tone("--volume 0.5")
        #expect(plain.count == 96_000 && half.count == 96_000)
        #expect(zip(plain, half).allSatisfy { abs(Int($0) - 2 * Int($1)) <= 1 })
        let muted = try await tone("--muted")
        #expect(muted.count == 96_000 && muted.allSatisfy { $0 == 0 })
    }

    private func tone(_ options: String) async throws -> [Int16] {
        let sound = Media.temporary("tone.wav")
        defer { unlink(sound.path) }
        let outcome = try await Command.run(
            ["--untimed", "--video", "none", "--audio", "wav:\(sound.path)"]
                + options.split(separator: " ").map(String.init) + [Media.fixture("tone-48000.wav")]
        )
        #expect(outcome.status == 0)
        return try Data(contentsOf: sound).dropFirst(44).withUnsafeBytes {
            Array($0.bindMemory(to: Int16.self))
        }
    }

    @Test(
        "A closed pipe ends playback without a message",
        arguments: [
            "--video y4m:-", "--video raw:-", "--video framemd5:-", "--events json", "--events text",
        ]
    )
    func aClosedPipeEndsItQuietly(option: String) async throws {
        let line = "\"$vplay\" --untimed --loop \(option) \"$1\" | head -c 10 | wc -c; echo ${PIPESTATUS[0]}"
        let outcome = try await Command.shell(line, Media.clip)
        // The status is that of `cat`.
        #expect(outcome.lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["10", "141"])
        #expect(outcome.errors.isEmpty)
    }

    @Test("A closed pipe ends probe, bench and snapshot without a message")
    func aClosedPipeEndsProbeAndBench() async throws {
        for command in ["probe", "bench", "snapshot --at 0.5 -o -"] {
            let line = "(\"$vplay\" \(command) \"$1\"; echo $? >&2) | head -c 0"
            let outcome = try await Command.shell(line, Media.clip)
            // The reader may close the pipe before or after the output is written.
            #expect(["0\n", "141\n"].contains(outcome.errors))
        }
    }

    @Test(
        "A full disk is one error message",
        arguments: ["--video y4m:/dev/full", "--video framemd5:/dev/full", "--audio wav:/dev/full"]
    )
    func aFullDiskIsSaidOnce(option: String) async throws {
        let arguments = option.split(separator: " ").map(String.init)
        let outcome = try await Command.run(["--untimed", "--quiet"] + arguments + [Media.clip])
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("/dev/full"))
    }

    @Test("--stats prints the counters")
    func statistics() async throws {
        let outcome = try await Command.run("--untimed", "--stats", "--repeat", "2", Media.clip)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("frames: decoded 180, presented 180, dropped 0"))
        #expect(outcome.errors.contains("passes: 2, frames per pass: due 90, presented 90"))
        #expect(outcome.errors.contains("audio samples: 288000"))
    }

    @Test("A missing audio server is one warning, and playback continues")
    func silenceIsWarnedOfOnce() async throws {
        // The notice arrives at any time during playback.
        let loud = try await Command.run("--frames", "80", Media.clip)
        #expect(loud.status == 0)
        #expect(loud.errorLines.count == 1)
        #expect(loud.errors.hasPrefix("vplay: warning: no audio server: playing without audio ("))
        for option in ["--quiet", "--muted", "--audio=null", "--audio=none"] {
            #expect(try await Command.run("--frames", "30", option, Media.clip).errors.isEmpty)
        }
        #expect(try await Command.run("--frames", "30", Media.silent).errors.isEmpty)
    }

    @Test("With --audio pulse a missing audio server is an error")
    func aServerThatWasAskedForMustBeThere() async throws {
        let outcome = try await Command.run("--audio", "pulse", Media.clip)
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("vplay: no audio server: "))
        #expect(try await Command.run("--untimed", "--audio", "pulse", Media.clip).status == 64)
    }

    @Test("With --audio alsa a device that does not exist is an error")
    func aDeviceThatWasAskedForMustBeThere() async throws {
        let outcome = try await Command.run("--audio", "alsa:nonsense", Media.clip)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "vplay: audio device not found: nonsense; `aplay -L` lists the devices\n")
        #expect(try await Command.run("--untimed", "--audio", "alsa", Media.clip).status == 64)
    }

    @Test("bench counts all frames")
    func benchCountsEveryPicture() async throws {
        let outcome = try await Command.run("bench", "--json", "--threads", "1", Media.clip)
        let object = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
        #expect(object["frames"] as? Int == 90)
        #expect(object["threads"] as? Int == 1)
        for name in ["seconds", "fps", "speed", "duration", "cpuSeconds", "peakMemory"] {
            #expect(try #require(object[name] as? Double) > 0)
        }
    }

    @Test(
        "Frames are deinterlaced on request and for display",
        arguments: ["interlaced-mpeg2.ts", "interlaced-h264.mp4"]
    )
    func deinterlacesWhereAsked(_ name: String) async throws {
        func hashes(_ options: String...) async throws -> [String] {
            let clip = Media.fixture(name)
            let outcome = try await Command.run(["--untimed", "--video", "framemd5:-"] + options + [clip])
            #expect(outcome.status == 0)
            return Fixture.frameHashes(outcome.text)
        }
        let whole = try await hashes("--deinterlace", "always")
        #expect(try whole.count == 50 && whole == Fixture.deinterlaced(name))
        let plain = try await hashes()
        #expect(plain.count == 50 && zip(plain, whole).allSatisfy { $0 != $1 })
        #expect(try await hashes("--deinterlace", "none") == plain)
        // Frames fitted into a size are intended for display.
        #expect(try await hashes("--size", "320x180") == whole)
    }

    @Test("HDR is converted for RGB output and with --size, but not if frames are written as coded")
    func mapsHighDynamicRangeWhereAsked() async throws {
        func hashes(_ options: String...) async throws -> [String] {
            let clip = Media.fixture("hdr10-hevc.mp4")
            let always = ["--untimed", "--frames", "3", "--video", "framemd5:-"]
            let outcome = try await Command.run(always + options + [clip])
            #expect(outcome.status == 0)
            return Fixture.frameHashes(outcome.text)
        }
        let plain = try await hashes()
        #expect(plain.count == 3)
        let mapped = try await hashes("--dynamic-range", "forceSDR")
        #expect(mapped.count == 3 && zip(plain, mapped).allSatisfy { $0 != $1 })
        #expect(try await hashes("--size", "320x180") == mapped)
        #expect(try await hashes("--size", "320x180", "--dynamic-range", "matchSource") == plain)
    }

    @Test("probe describes the tracks")
    func probeTellsWhatIsThere() async throws {
        let outcome = try await Command.run("probe", "--json", Media.fixture("two-languages.mkv"))
        let object = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
        let tracks = try #require(object["tracks"] as? [[String: Any]])
        #expect(tracks.contains { $0["type"] as? String == "video" && $0["width"] as? Int == 320 })
        #expect(Set(tracks.compactMap { $0["language"] as? String }).count >= 2)
        let text = try await Command.run("probe", Media.clip)
        #expect(text.text.contains("track 0: video, h264"))
    }

    @Test(
        "probe reports the channel layout only if the file declares it",
        arguments: [
            ("pcm_s16be", "aiff", 2, ""), ("adpcm_ms", "wav", 2, ""), ("flac", "flac", 2, "stereo"),
            ("flac", "flac", 6, "5.1"),
        ]
    )
    func channelLayout(codec: String, container: String, count: Int, layout: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.\(container)")
        let made = try await Command.shell(
            "ffmpeg -nostdin -v error -f lavfi -i sine=d=0.2 -ac \(count) -c:a \(codec) \"$1\"",
            path
        )
        #expect(made.status == 0, "\(made.errors)")
        let outcome = try await Command.run("probe", "--json", path)
        let object = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
        let tracks = try #require(object["tracks"] as? [[String: Any]])
        #expect(tracks[0]["channels"] as? Int == count)
        if layout.isEmpty {
            #expect(tracks[0]["channelLayout"] is NSNull)
        } else {
            #expect(tracks[0]["channelLayout"] as? String == layout)
        }
        let text = try await Command.run("probe", path)
        #expect(text.text.contains(" Hz, \(count) channels\(layout.isEmpty ? "" : " (\(layout))"), "))
        withExtendedLifetime(folder) {}
    }

    @Test("probe reports the mastering display and the content light level")
    func probeTellsOfLight() async throws {
        func place(_ x: Int32, _ y: Int32) -> MasteringDisplay.Chromaticity {
            MasteringDisplay.Chromaticity(x: Rational(x, 50_000), y: Rational(y, 50_000))
        }
        let display = MasteringDisplay(
            primaries: MasteringDisplay.Primaries(
                red: place(34_000, 16_000),
                green: place(13_250, 34_500),
                blue: place(7_500, 3_000),
                whitePoint: place(15_635, 16_450)
            ),
            luminance: MasteringDisplay.Luminance(
                minimum: Rational(50, 10_000),
                maximum: Rational(10_000_000, 10_000)
            )
        )
        let boxes = HDRBoxes(display, ContentLightLevel(maximum: 1000, maximumFrameAverage: 400))
        let folder = try TemporaryFolder()
        let clip = try Data(contentsOf: Fixture.url("clip-moov-at-end.mp4"))
        try folder.write("hdr.mp4", try #require(boxes.added(toFirst: "avc1", of: clip)))
        let outcome = try await Command.run("probe", "--json", folder.path("hdr.mp4"))
        let object = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
        let tracks = try #require(object["tracks"] as? [[String: Any]])
        let told = try #require(tracks[0]["masteringDisplay"] as? [String: Any])
        #expect(told["red"] as? [String] == ["34000/50000", "16000/50000"])
        #expect(told["green"] as? [String] == ["13250/50000", "34500/50000"])
        #expect(told["blue"] as? [String] == ["7500/50000", "3000/50000"])
        #expect(told["whitePoint"] as? [String] == ["15635/50000", "16450/50000"])
        #expect(told["minimumLuminance"] as? String == "50/10000")
        #expect(told["maximumLuminance"] as? String == "10000000/10000")
        let level = tracks[0]["contentLightLevel"] as? [String: Int]
        #expect(level == ["maximum": 1000, "maximumFrameAverage": 400])
        let text = try await Command.run("probe", folder.path("hdr.mp4"))
        #expect(text.text.contains("graded on 0.005 to 1000 cd/m², MaxCLL 1000, MaxFALL 400"))
        let plain = try await Command.run("probe", Media.clip)
        #expect(!plain.text.contains("cd/m²"))
    }

    @Test("Audio tracks are selected by index or language")
    func tracksAreChosenByLanguage() async throws {
        let path = Media.fixture("two-languages.mkv")
        let probe = try await Command.run("probe", "--json", path)
        let object = try #require(try JSONSerialization.jsonObject(with: probe.output) as? [String: Any])
        let tracks = try #require(object["tracks"] as? [[String: Any]])
        for track in tracks where track["type"] as? String == "audio" {
            let id = try #require(track["id"] as? Int)
            let language = try #require(track["language"] as? String)
            for selection in ["\(id)", language, language.uppercased()] {
                let outcome = try await Command.run(
                    "--untimed",
                    "--frames",
                    "1",
                    "--events",
                    "text",
                    "--audio-track",
                    selection,
                    path
                )
                #expect(outcome.status == 0)
                let enabled =
                    "{\"id\":\(id),\"type\":\"audio\",\"codec\":\"\(track["codec"] ?? "")\",\"enabled\":true}"
                #expect(outcome.text.contains(enabled))
            }
        }
        // mpv's options are preferences: without a track in one of the languages, the default one plays.
        for (languages, number) in [("tlh,de,en", 1), ("en", 0), ("tlh", 0), ("", 0)] {
            let outcome = try await Command.run(
                ["--untimed", "--events", "text", "--alang=\(languages)", "--slang=tlh", path]
            )
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
            let played = try #require(outcome.lines.last { $0.contains("\"type\":\"audio\"") })
            let audio = tracks.filter { $0["type"] as? String == "audio" }
            for (index, track) in audio.enumerated() {
                let codec = track["codec"] as? String ?? ""
                let isPlayed = played.contains("\"codec\":\"\(codec)\",\"enabled\":true}")
                #expect(isPlayed == (index == number), "\(languages)")
            }
        }
        let cues = try await Command.run("--untimed", "--events", "text", "--slang=de,en", path)
        #expect(cues.status == 0 && cues.text.contains("First"))
        let missing = try await Command.run("--untimed", "--audio-track", "tlh", path)
        #expect(missing.status == 1)
        #expect(missing.errorLines.count == 1)
    }
}
