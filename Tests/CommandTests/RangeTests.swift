import Foundation
import TestSupport
import Testing

/// The frames that are output, compared by timestamp and checksum.
@Suite("Frames and ranges", .enabled(if: Media.isMade))
struct RangeTests {
    /// The timestamp and checksum in a line of framemd5.
    private struct Picture: Equatable {
        let ticks: Int64
        let hash: String

        init?(_ line: String) {
            let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            guard fields.count == 6, let ticks = Int64(fields[2]) else { return nil }
            self.ticks = ticks
            hash = fields[5]
        }
    }

    private func pictures(_ arguments: String...) async throws -> [Picture] {
        let sink = ["--untimed", "--audio", "none", "--video", "framemd5:-"]
        let outcome = try await Command.run(sink + arguments)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        return outcome.pictures.compactMap(Picture.init)
    }

    /// Returns the seconds per tick of framemd5 text.
    private func timeBase(_ path: String) async throws -> (Int64, Int64) {
        let outcome = try await Command.run("--untimed", "--frames", "1", "--video", "framemd5:-", path)
        let line = try #require(outcome.lines.first { $0.hasPrefix("#tb 0: ") })
        let parts = line.dropFirst("#tb 0: ".count).split(separator: "/").compactMap { Int64($0) }
        try #require(parts.count == 2)
        return (parts[0], parts[1])
    }

    private static let ranges = [
        ("0", "0"), ("0", "0.5"), ("1", "1"), ("1", "1.5"), ("0.033", "0.034"), ("0.9", "2.1"), ("1.99", "3"),
        ("2.95", "9"), ("0.5", "0.5000001"), ("1.0333333", "1.0333334"),
    ]

    @Test(
        "--start and --end are exact to the frame",
        arguments: [
            Media.clip, Media.uneven, Media.fixture("clip-h264-aac.ts"), Media.fixture("clip-hevc-aac.mp4"),
        ]
    )
    func startAndEndAreExact(path: String) async throws {
        let whole = try await pictures(path)
        let (numerator, denominator) = try await timeBase(path)
        let zero = try #require(whole.first).ticks
        /// The number of 10-millionths of a second, which is exact for the times above.
        func isAtOrBefore(_ picture: Picture, _ time: String) throws -> Bool {
            let seconds = try #require(Double(time))
            let limit = Int64((seconds * 1e7).rounded())
            return (picture.ticks - zero) * numerator * 10_000_000 <= limit * denominator
        }
        for (start, end) in Self.ranges.samples {
            let first = try whole.lastIndex { try isAtOrBefore($0, start) } ?? 0
            let last = try whole.lastIndex { try isAtOrBefore($0, end) } ?? 0
            let part = try await pictures("--start", start, "--end", end, path)
            #expect(part == Array(whole[first...max(first, last)]), "from \(start) to \(end)")
        }
    }

    @Test("--start T and --end T count from the first frame, and other positions in item time")
    func videoAfterAudio() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("late.mp4")
        let made = try await Command.shell(
            #"ffmpeg -nostdin -v error -itsoffset 1 -i "$1" -i "$1" -map 0:v -map 1:a -c copy "$2""#,
            Media.clip,
            path
        )
        try #require(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
        let whole = try await pictures(path)
        try #require(whole.count == 90)
        #expect(try await pictures("--start", "0.5", "--end", "1", path) == Array(whole[15...30]))
        // The duration is 4 s, of which the first second has no video.
        #expect(try await pictures("--start", "50%", path) == Array(whole[30...]))
        #expect(try await pictures("--start", "-1", path) == Array(whole[60...]))
        withExtendedLifetime(folder) {}
    }

    @Test("WebM, whose timestamps are in milliseconds, is exact to the millisecond")
    func webmIsExactToItsMillisecond() async throws {
        let path = Media.fixture("clip-vp9-opus.webm")
        let whole = try await pictures(path)
        #expect(try await pictures("--start", "0.033", "--end", "0.0669", path) == [whole[1]])
        #expect(try await pictures("--start", "0.0329", "--end", "0.067", path) == Array(whole[0...2]))
    }

    @Test("--frames and --duration count across passes and inputs")
    func countsAddUp() async throws {
        #expect(try await pictures("--repeat", "3", Media.clip).count == 270)
        #expect(try await pictures("--repeat", "2", Media.clip, Media.silent).count == 360)
        #expect(try await pictures("--frames", "1", Media.clip).count == 1)
        #expect(try await pictures("--frames", "90", Media.clip).count == 90)
        #expect(try await pictures("--frames", "91", Media.clip).count == 90)
        #expect(try await pictures("--frames", "200", "--loop", Media.clip).count == 200)
        #expect(try await pictures("--frames", "100", Media.clip, Media.silent).count == 100)
        #expect(try await pictures("--duration", "1", Media.clip).count == 30)
        #expect(try await pictures("--duration", "7", "--loop", Media.clip).count == 210)
        #expect(try await pictures("--duration", "4", Media.clip, Media.silent).count == 120)
        #expect(try await pictures("--start", "1", "--duration", "0.5", Media.clip).count == 15)
        #expect(try await pictures("--start", "1", "--duration", "2.5", Media.clip, Media.clip).count == 75)
        #expect(try await pictures("--start", "2", "--repeat", "2", Media.clip).count == 60)
        let last = try await pictures("--start", "2", Media.clip)
        #expect(try await pictures("--start", "-1", Media.clip) == last)
        #expect(try await pictures("-ss", "-1", "--repeat", "2", Media.clip) == last + last)
        #expect(try await pictures("--rate", "2", Media.clip).count == 90)
    }

    @Test("--duration counts from the start that a presentation chooses, and is its end in the log")
    func chosenStart() async throws {
        let folder = try TemporaryFolder()
        let made = try await Command.shell(
            """
            cd "$1"
            ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=160x90:r=10:d=8 -c:v libx264 -g 10 -f hls -hls_time 1 \
                -hls_list_size 0 list.m3u8
            sed '1a #EXT-X-START:TIME-OFFSET=3' list.m3u8 > segment.m3u8
            sed '1a #EXT-X-START:TIME-OFFSET=3.5,PRECISE=YES' list.m3u8 > precise.m3u8
            grep -v ENDLIST list.m3u8 > live.m3u8
            """,
            folder.path
        )
        try #require(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
        let served = try ServedFolder(try ServedFolder.files(folder.url))
        let list = folder.path("list.m3u8")
        let whole = try await pictures(list)
        try #require(whole.count == 80)
        for (name, first) in [("list", 0), ("segment", 30), ("precise", 35)] {
            for path in [folder.path("\(name).m3u8"), served.server.url("/\(name).m3u8")] {
                #expect(try await pictures("--duration", "2", path) == Array(whole[first..<first + 20]))
                // The second pass begins at zero.
                let passes = try await pictures("--duration", "9", "--loop", path)
                #expect(passes == Array(whole[first...] + whole[..<(first + 10)]))
                #expect(try await pictures("--duration", "9", path, list) == passes)
                let follower = try await pictures("--duration", "10", list, path)
                #expect(follower == whole + Array(whole[first..<first + 20]))
            }
        }
        let log = folder.path("log")
        let url = served.server.url("/live.m3u8")
        let live = try await pictures("--duration", "1", "--play-log", log, url)
        let start = try #require(live.first.flatMap { whole.firstIndex(of: $0) })
        #expect(start > 0 && live == Array(whole[start..<start + 10]))
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.contains(#""reason":"eof","whole":false"#) == true, "\(lines)")
        withExtendedLifetime(folder) {}
    }

    @Test("A range without a duration is not repeated", arguments: ["1", "-1"])
    func emptyRange(rate: String) async throws {
        let range = ["--start", "0.5", "--end", "0.5"]
        let outcome = try await Command.run(
            ["--untimed", "--rate", rate, "--repeat", "3", "--video", "framemd5:-"] + range + [Media.clip]
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("cannot repeat: the duration of a pass is 0"), "\(outcome.errors)")
        #expect(outcome.pictures.count == 1)
    }

    @Test("--start at a chapter that does not exist prints one warning", arguments: ["1", "-1"])
    func missingChapter(rate: String) async throws {
        let arguments = ["--untimed", "--rate", rate, "--start", "#9", "--video", "framemd5:-", Media.clip]
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 0 && outcome.errorLines.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("--start has no effect: there is no chapter 9"))
        #expect(outcome.pictures.count == 90)
    }

    @Test("--start past the end prints one warning with the duration, and the last frame is played")
    func startPastTheEnd() async throws {
        let outcome = try await Command.run(
            "--untimed",
            "--start",
            "100",
            "--video",
            "framemd5:-",
            Media.clip
        )
        #expect(outcome.status == 0 && outcome.errorLines.count == 1, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("--start 100 is past the end (duration 3 s); playback starts at the end")
        )
        let all = try await Command.run("--untimed", "--video", "framemd5:-", Media.clip)
        #expect(outcome.pictures == Array(all.pictures.suffix(1)))
        let quiet = try await Command.run(
            "--untimed",
            "--quiet",
            "--start",
            "100",
            "--video",
            "null",
            Media.clip
        )
        #expect(quiet.status == 0 && quiet.errors.isEmpty)
    }

    @Test("Every pass has the same frames")
    func everyPassIsTheSame() async throws {
        let once = try await pictures(Media.clip).map(\.hash)
        let thrice = try await pictures("--repeat", "3", Media.clip).map(\.hash)
        #expect(thrice == once + once + once)
    }

    @Test("Reverse playback has the same frames in reverse order")
    func backwardIsTheSameInReverseOrder() async throws {
        let once = try await pictures(Media.clip).map(\.hash)
        #expect(try await pictures("--rate=-1", Media.clip).map(\.hash) == once.reversed())
        let part = try await pictures("--rate=-4", "--start", "1", "--end", "2", Media.clip).map(\.hash)
        #expect(part == once[30...60].reversed())
    }

    @Test("A folder plays its media in natural order")
    func aFolderIsItsMediaInOrder() async throws {
        let folder = Media.temporary("folder")
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { unlinkTree(folder) }
        try files.copyItem(atPath: Media.silent, toPath: folder.appendingPathComponent("b.mp4").path)
        try files.copyItem(atPath: Media.uneven, toPath: folder.appendingPathComponent("a.mp4").path)
        try Data("notes".utf8).write(to: folder.appendingPathComponent("c.txt"))
        let both = try await pictures(folder.path).map(\.hash)
        let one = try await pictures(Media.uneven).map(\.hash)
        let two = try await pictures(Media.silent).map(\.hash)
        #expect(both == one + two)
    }

    @Test("A folder without media is an error")
    func anEmptyFolderIsSaidToBe() async throws {
        let folder = Media.temporary("empty")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { unlinkTree(folder) }
        let outcome = try await Command.run(folder.path)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "vplay: \(folder.path): no media files in this folder\n")
    }

    private func unlinkTree(_ url: URL) {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Issue.record(error)
        }
    }
}
