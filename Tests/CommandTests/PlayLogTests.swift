import Foundation
import Glibc
import MediaCore
import Playhead
import Synchronization
import TestSupport
import Testing

@testable import vplay

/// The play log: complete lines, whatever happens to the disk and the process.
@Suite("Play log")
struct PlayLogTests {
    private static func line(_ number: Int) -> [UInt8] {
        Array(#"{"begin":"2026-01-01T00:00:00.000Z","number":\#(number)}"#.utf8) + [UInt8(ascii: "\n")]
    }

    private static func content(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("A torn last line is removed when the file is opened", arguments: [1, 20, 47])
    func tornEnd(count: Int) throws {
        let folder = try TemporaryFolder()
        try folder.write("log", Data(Self.line(1) + Self.line(2) + Self.line(3).prefix(count)))
        var file = PlayLogFile(path: folder.path("log"))
        try file.append(Self.line(4))
        file.close()
        #expect(try Self.content(folder.path("log")) == Self.line(1) + Self.line(2) + Self.line(4))
    }

    @Test("Zeros and broken lines between complete lines are removed, as after loss of power")
    func damagedMiddle() throws {
        let folder = try TemporaryFolder()
        let zeros = [UInt8](repeating: 0, count: 4096) + [UInt8(ascii: "\n")]
        let bytes =
            Self.line(1) + zeros + Self.line(2) + Self.line(3).prefix(20) + Self.line(4) + Self.line(5)
        try folder.write("log", Data(bytes))
        var file = PlayLogFile(path: folder.path("log"))
        try file.open()
        file.close()
        #expect(try Self.content(folder.path("log")) == Self.line(1) + Self.line(2) + Self.line(5))
    }

    @Test("Of a long file only the end is read, and the rest stays")
    func longFile() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<8000).flatMap { Self.line($0) }
        try folder.write("log", Data(lines + [0x7B]))
        var file = PlayLogFile(path: folder.path("log"))
        try file.open()
        #expect(try Self.content(folder.path("log")) == lines)
    }

    @Test("A full disk leaves no part of a line, and the next line follows when there is space")
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let room = Atomic(60)
        var file = PlayLogFile(path: folder.path("log")) { descriptor, bytes in
            let count = min(bytes.count, room.load(ordering: .relaxed))
            guard count > 0 else {
                errno = ENOSPC
                return -1
            }
            room.subtract(count, ordering: .relaxed)
            return Glibc.write(descriptor, bytes.baseAddress, count)
        }
        try file.append(Self.line(1))
        #expect(throws: PlayLogError.system(ENOSPC)) { try file.append(Self.line(2)) }
        #expect(try Self.content(folder.path("log")) == Self.line(1))
        room.store(1000, ordering: .relaxed)
        try file.append(Self.line(2))
        #expect(try Self.content(folder.path("log")) == Self.line(1) + Self.line(2))
    }

    @Test("No more lines than the limit are kept, also if one is added while another cannot be written")
    func pendingLimit() async throws {
        let folder = try TemporaryFolder()
        let (additions, continuation) = AsyncStream.makeStream(of: Void.self)
        let hasSpace = Atomic(false)
        let addsLine = Atomic(false)
        let shared = Mutex<PlayLog?>(nil)
        let record = PassRecord.failure(of: "film", "missing", at: UTCTime(milliseconds: 0))
        let file = PlayLogFile(path: folder.path("log")) { descriptor, bytes in
            if hasSpace.load(ordering: .acquiring) {
                return Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if addsLine.exchange(false, ordering: .acquiringAndReleasing) {
                shared.withLock { $0 }?.append(record)
                continuation.yield()
            }
            errno = ENOSPC
            return -1
        }
        let log = PlayLog(file) { _ in }
        shared.withLock { $0 = log }
        for _ in 0..<PlayLog.maximumPendingCount { log.append(record) }
        addsLine.store(true, ordering: .releasing)
        log.append(record)
        for await _ in additions { break }
        hasSpace.store(true, ordering: .releasing)
        await log.close()
        shared.withLock { $0 = nil }
        let bytes = try Self.content(folder.path("log"))
        #expect(bytes.count { $0 == UInt8(ascii: "\n") } == PlayLog.maximumPendingCount)
    }

    @Test("Beyond the limit the file is renamed, and a bounded number of older files is kept")
    func rotation() throws {
        let folder = try TemporaryFolder()
        let size = Self.line(10).count
        var file = PlayLogFile(path: folder.path("log"), byteLimit: 2 * size, olderFileCount: 2)
        for number in 10..<20 { try file.append(Self.line(number)) }
        #expect(try Self.content(folder.path("log")) == Self.line(18) + Self.line(19))
        #expect(try Self.content(folder.path("log.1")) == Self.line(16) + Self.line(17))
        #expect(try Self.content(folder.path("log.2")) == Self.line(14) + Self.line(15))
        #expect(!FileManager.default.fileExists(atPath: folder.path("log.3")))
    }

    @Test("A file that another program has renamed is created again")
    func renamed() throws {
        let folder = try TemporaryFolder()
        var file = PlayLogFile(path: folder.path("log"))
        try file.append(Self.line(1))
        #expect(rename(folder.path("log"), folder.path("old")) == 0)
        try file.append(Self.line(2))
        #expect(try Self.content(folder.path("old")) == Self.line(1))
        #expect(try Self.content(folder.path("log")) == Self.line(2))
    }

    @Test("A second process, a folder and a pipe are refused")
    func refusals() throws {
        let folder = try TemporaryFolder()
        var first = PlayLogFile(path: folder.path("log"))
        try first.open()
        #expect(throws: PlayLogError.inUse) {
            var second = PlayLogFile(path: folder.path("log"))
            try second.open()
        }
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(throws: PlayLogError.notRegular) {
            var pipe = PlayLogFile(path: folder.path("pipe"))
            try pipe.open()
        }
        #expect(throws: PlayLogError.system(EISDIR)) {
            var file = PlayLogFile(path: folder.url.path)
            try file.open()
        }
        first.close()
    }

    @Test(
        "A file of another kind is refused, and stays as it is",
        arguments: ["\u{0}\u{0}\u{0} ftypisom", "{\"key\":1}", "text\n{\"begin\":1}\n"]
    )
    func otherContents(contents: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("film", Data(contents.utf8))
        #expect(throws: PlayLogError.otherContents) {
            var file = PlayLogFile(path: folder.path("film"))
            try file.append(Self.line(1))
        }
        #expect(try Self.content(folder.path("film")) == Array(contents.utf8))
    }

    // MARK: Interruptions

    private let film = PlayerItem(url: URL(fileURLWithPath: "/film"))
    private let notice = PlayerItem(url: URL(fileURLWithPath: "/notice"))

    private static func moment(_ milliseconds: Int64, dropped: Int) -> PassTracker.Moment {
        PassTracker.Moment(
            utc: UTCTime(milliseconds: milliseconds),
            host: HostTime(nanoseconds: milliseconds * 1_000_000),
            droppedFrames: dropped
        )
    }

    private static func text(_ records: [PassRecord]) -> [String] {
        records.map { String(decoding: $0.line.dropLast(), as: UTF8.self) }
    }

    /// Handles events of one moment, and returns the lines of the passes that they end.
    private static func handle(
        _ events: [PlayerEvent],
        _ tracker: inout PassTracker,
        at milliseconds: Int64,
        dropped: Int
    ) -> [String] {
        var records: [PassRecord] = []
        for event in events {
            let moment = moment(milliseconds, dropped: dropped)
            let record = tracker.handle(event, current: nil, at: moment) { $0.asset.url.path }
            if let record { records.append(record) }
        }
        return text(records)
    }

    /// Returns a tracker for which the film has played from 0.1 s on, and the notice has interrupted it at 1.4 s.
    private func interruptedTracker() -> PassTracker {
        var tracker = PassTracker()
        let ends =
            Self.handle([.currentItemChanged(film)], &tracker, at: 0, dropped: 0)
            + Self.handle([.timeControlStatusChanged(.playing, nil)], &tracker, at: 100, dropped: 1)
            + Self.handle(
                [.currentItemChanged(notice), .interstitialBegan(notice)],
                &tracker,
                at: 1400,
                dropped: 2
            )
        #expect(ends == [])
        return tracker
    }

    @Test("A pass that is interrupted has one line, without the time and the frames of the interruption")
    func interruption() {
        var tracker = interruptedTracker()
        let noticeEnds: [PlayerEvent] = [
            .passEnded(notice, .playedToEnd), .currentItemChanged(film), .interstitialEnded(notice),
        ]
        #expect(
            Self.handle(noticeEnds, &tracker, at: 3400, dropped: 7) == [
                #"{"begin":"1970-01-01T00:00:01.400Z","end":"1970-01-01T00:00:03.400Z","item":"/notice","#
                    + #""played":2,"reason":"eof","whole":true,"dropped":5}"#
            ]
        )
        #expect(
            Self.handle([.passEnded(film, .playedToEnd)], &tracker, at: 5100, dropped: 9) == [
                #"{"begin":"1970-01-01T00:00:00.100Z","end":"1970-01-01T00:00:05.100Z","item":"/film","#
                    + #""played":3,"reason":"eof","whole":true,"dropped":3}"#
            ]
        )
        let remaining = tracker.quit(at: Self.moment(6000, dropped: 9))
        #expect(remaining.isEmpty)
    }

    private static let interruptedLine =
        #"{"begin":"1970-01-01T00:00:00.100Z","end":"1970-01-01T00:00:02.400Z","item":"/film","#
        + #""played":1.3,"reason":"REASON","whole":false,"dropped":1}"#
    private static let interruptingLine =
        #"{"begin":"1970-01-01T00:00:01.400Z","end":"1970-01-01T00:00:02.400Z","item":"/notice","#
        + #""played":1,"reason":"quit","whole":false,"dropped":4}"#

    @Test("If the command ends during an interruption, both passes have a line")
    func quitDuringInterruption() {
        var tracker = interruptedTracker()
        let records = tracker.quit(at: Self.moment(2400, dropped: 6))
        let first = Self.interruptedLine.replacing("REASON", with: "quit")
        #expect(Self.text(records) == [first, Self.interruptingLine])
    }

    @Test("An interrupted item that is removed has a line, and so has the item that plays on")
    func removedDuringInterruption() {
        var tracker = interruptedTracker()
        let first = Self.interruptedLine.replacing("REASON", with: "stop")
        #expect(Self.handle([.passEnded(film, .replaced)], &tracker, at: 2400, dropped: 6) == [first])
        let records = tracker.quit(at: Self.moment(2400, dropped: 6))
        #expect(Self.text(records) == [Self.interruptingLine])
    }

    @Test("An item that --duration ends has reached the end of its range, unlike one that the command ends")
    func rangeEnd() {
        var tracker = interruptedTracker()
        tracker.noteRangeEnd(of: film)
        let records = tracker.quit(at: Self.moment(2400, dropped: 6))
        let first = Self.interruptedLine.replacing("REASON", with: "eof")
        #expect(Self.text(records) == [first, Self.interruptingLine])
    }

    @Test("An item that is rejected has no pass, whether another one follows or the command ends")
    func rejected() {
        for end in [PlayerEvent.passEnded(film, .replaced), .currentItemChanged(film)] {
            var tracker = PassTracker()
            let events: [PlayerEvent] = [.currentItemChanged(film), .timeControlStatusChanged(.playing, nil)]
            #expect(Self.handle(events, &tracker, at: 0, dropped: 0) == [])
            tracker.reject(film)
            #expect(Self.handle([end], &tracker, at: 1, dropped: 0) == [])
            let remaining = tracker.quit(at: Self.moment(2, dropped: 0))
            #expect(remaining.isEmpty)
        }
    }

    // MARK: The command

    private static func objects(_ path: String) throws -> [[String: Any]] {
        let text = String(decoding: try content(path), as: UTF8.self)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return try text.split(separator: "\n").map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                "\(line)"
            )
        }
    }

    @Test(
        "Each pass has a line, and an input that cannot be played one in all laps",
        .enabled(if: Media.isMade)
    )
    func passes() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path("log")
        let outcome = try await Command.run([
            "--untimed", "--repeat", "3", "--play-log", log, Media.clip, "/no/such", Media.silent,
        ])
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        let lines = try Self.objects(log)
        let names = [Media.clip, "/no/such", Media.silent]
        // The next input fails while the current one plays.
        #expect(lines.map { $0["item"] as? String } == [1, 0, 2, 0, 2, 0, 2].map { names[$0] })
        #expect(lines.map { $0["reason"] as? String } == ["error"] + Array(repeating: "eof", count: 6))
        #expect(lines.map { $0["whole"] as? Bool } == [false] + Array(repeating: true, count: 6))
        #expect(lines.map { $0["played"] as? Double } == [0] + Array(repeating: 3, count: 6))
        #expect(lines.allSatisfy { ($0["begin"] as? String ?? "") <= ($0["end"] as? String ?? "") })
        #expect(lines.allSatisfy { ($0["error"] == nil) == ($0["reason"] as? String != "error") })
    }

    @Test("The path of a file is unchanged in JSON, whatever it contains", .enabled(if: Media.isMade))
    func paths() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path("log")
        try FileManager.default.copyItem(atPath: Media.silent, toPath: folder.path + "/a\nb\u{7F}.mp4")
        let names = [folder.path + "/a\nb\u{7F}.mp4", folder.path + "/c\nd.mp4"]
        _ = try await Command.run(["--untimed", "--play-log", log] + names)
        let items = try Self.objects(log).compactMap { $0["item"] as? String }
        #expect(Set(items) == Set(names))
        for command in ["probe", "bench"] {
            let outcome = try await Command.run(command, "--json", names[0])
            let object = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
            #expect(object?["path"] as? String == names[0])
        }
    }

    @Test("An input that fails when nothing plays has one line", .enabled(if: Media.isMade))
    func firstFails() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path("log")
        let outcome = try await Command.run([
            "--untimed", "--repeat", "2", "--play-log", log, "/no/such", Media.clip,
        ])
        #expect(outcome.errorLines.count == 1)
        let lines = try Self.objects(log)
        #expect(lines.map { $0["item"] as? String } == ["/no/such", Media.clip, Media.clip])
        #expect(lines.map { $0["reason"] as? String } == ["error", "eof", "eof"])
    }

    @Test("An input of which no track is played has one line in all laps", .enabled(if: Media.isMade))
    func rejectedInput() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path("log")
        let outcome = try await Command.run([
            "--untimed", "--video", "none", "--repeat", "2", "--play-log", log, Media.clip, Media.silent,
        ])
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1)
        let lines = try Self.objects(log)
        #expect(lines.map { $0["item"] as? String } == [Media.clip, Media.silent, Media.clip])
        #expect(lines.map { $0["reason"] as? String } == ["eof", "error", "eof"])
    }

    @Test("The passes of a loop have lines, and --duration cuts the last one", .enabled(if: Media.isMade))
    func loop() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path("log")
        let outcome = try await Command.run([
            "--untimed", "--loop", "--duration", "7", "--play-log", log, Media.clip,
        ])
        #expect(outcome.status == 0)
        let lines = try Self.objects(log)
        #expect(lines.map { $0["whole"] as? Bool } == [true, true, false])
        #expect(lines.map { $0["reason"] as? String } == ["eof", "eof", "quit"])
        #expect(lines.compactMap { $0["played"] as? Double }.reduce(0, +) == 7)
    }

    @Test("A log that cannot be written is one warning, and everything is played", .enabled(if: Media.isMade))
    func unwritable() async throws {
        let outcome = try await Command.run(
            "--untimed",
            "--repeat",
            "3",
            "--play-log",
            "/no/such/folder/log",
            Media.clip
        )
        #expect(outcome.status == 0)
        #expect(outcome.errorLines.count == 1)
        #expect(
            outcome.errors.contains(
                "cannot write the play log /no/such/folder/log: No such file or directory"
            )
        )
    }

    @Test("Each line is complete after the process was killed at any time", .enabled(if: Media.isMade))
    func killed() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path("log")
        var generator = SplitMix64(7)
        for index in (0..<40).samples {
            let delay = Double.random(in: 0.02...0.4, using: &generator)
            // Half of the processes are killed after their first line, however long their start takes.
            let line = #"""
                lines() { cat "$2" 2>/dev/null | wc -l; }
                before=$(lines "$@")
                "$vplay" --untimed --loop --video none --play-log "$2" "$3" & child=$!
                if [ "$4" = line ]; then
                    until [ $(lines "$@") -gt $before ]; do kill -0 $child && [ $SECONDS -lt 60 ] || break; done
                fi
                sleep "$1"
                kill -KILL $child
                wait $child
                """#
            let start = (index / 4).isMultiple(of: 2) ? "line" : "launch"
            _ = try await Command.shell(line, "\(delay)", log, Media.clip, start)
            let text = String(decoding: (try? Self.content(log)) ?? [], as: UTF8.self)
            // The last line may be torn until the next start.
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any], "\(line)")
            }
        }
        _ = try await Command.run("--untimed", "--play-log", log, Media.clip)
        #expect(try Self.objects(log).count > 1)
    }
}
