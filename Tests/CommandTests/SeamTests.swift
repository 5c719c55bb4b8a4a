import Foundation
import Testing

/// The transitions between inputs.
@Suite("Transitions between inputs", .enabled(if: Media.isMade))
struct SeamTests {
    /// Returns the samples that `--audio wav:` writes, and the names of time and rate events in order.
    private func play(_ arguments: [String]) async throws -> (sound: Data, events: [String]) {
        let file = Media.temporary("seam.wav")
        defer { unlink(file.path) }
        let outcome = try await Command.run(
            ["--untimed", "--events", "text", "--audio", "wav:\(file.path)"] + arguments
        )
        #expect(outcome.status == (arguments.contains("/no/such") ? 1 : 0))
        let events = outcome.lines.compactMap { line -> String? in
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 1 else { return nil }
            switch words[1] {
            case "timeControlStatusChanged": return words.first { $0.hasPrefix("status=") }
            case "rateChanged": return words.first { $0.hasPrefix("to=") }
            case "didPlayToEndTime", "currentItemChanged": return words[1...].joined(separator: " ")
            default: return nil
            }
        }
        return (try Data(contentsOf: file).dropFirst(44), events)
    }

    @Test(
        "The audio of a list is that of its inputs, concatenated",
        arguments: [
            [Media.fixture("tone-48000.wav"), Media.fixture("tone-48000.wav")],
            [Media.fixture("tone-44100.m4a"), Media.fixture("tone-44100.mp3")],
            [Media.clip, Media.fixture("clip-hevc-aac.mp4"), Media.fixture("clip-h264-aac.ts")],
        ],
        [[], ["--start", "1", "--end", "1.5"]]
    )
    func soundIsStitched(inputs: [String], options: [String]) async throws {
        var expected = Data()
        for input in inputs { expected += try await play(options + [input]).sound }
        #expect(!expected.isEmpty)
        #expect(try await play(options + inputs).sound == expected)
    }

    @Test("An input without enabled tracks adds nothing to the audio")
    func failedInputIsLeftOut() async throws {
        let tone = Media.fixture("tone-48000.wav")
        let file = Media.temporary("failed.wav")
        defer { unlink(file.path) }
        let outcome = try await Command.run([
            "--untimed", "--quiet", "--video", "none", "--audio", "wav:\(file.path)", tone, Media.silent,
            tone,
        ])
        #expect(outcome.errors.contains("all playable tracks are disabled"))
        let sound = try Data(contentsOf: file).dropFirst(44)
        #expect(try await play([tone, tone]).sound == sound)
    }

    /// A list that is played item by item would stop and restart at each transition.
    @Test(
        "Time advances without a stop from the first frame of the first input to the end of the last",
        arguments: [
            ([Media.clip, Media.silent], [0, 1]),
            (["--repeat", "2", Media.clip, Media.silent], [0, 1, 0, 1]),
            (["--start", "1", "--end", "2", Media.clip, Media.uneven], [0, 1]),
            (["--duration", "4", Media.clip, Media.silent], [0, 1]),
            (["--duration", "3", Media.clip, Media.silent], [0]),
            (["--rate", "2", Media.clip, Media.silent], [0, 1]),
            ([Media.clip, "/no/such", Media.fixture("broken-text.mp4"), Media.silent, "/no/such"], [0, 3]),
        ]
    )
    func timeRunsOn(arguments: [String], inputs: [Int]) async throws {
        let rate = arguments.contains("--rate") ? "2.0" : "1.0"
        var expected = [
            "to=\(rate)", "status=waitingToPlayAtSpecifiedRate", "currentItemChanged item=\(inputs[0])",
            "status=waitingToPlayAtSpecifiedRate", "status=playing", "didPlayToEndTime item=\(inputs[0])",
        ]
        for input in inputs.dropFirst() {
            expected += ["currentItemChanged item=\(input)", "didPlayToEndTime item=\(input)"]
        }
        expected += ["to=0.0", "status=paused"]
        let events = try await play(arguments).events
        #expect(events == expected)
    }

    @Test("An input with a start time starts at that sample, even if its index seeks too late")
    func startsAreExact() async throws {
        let late = Media.fixture("clip-vp9-opus.webm")
        let sound = try await play(["--start", "1", "--end", "2", late, late]).sound
        // The length is two seconds of two channels of two bytes.
        #expect(sound.count == 384_000)
    }
}
