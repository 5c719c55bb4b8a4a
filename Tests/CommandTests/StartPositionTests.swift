import ArgumentParser
import Playhead
import Testing

@testable import vplay

/// `--start` with times, parts and chapters.
@Suite("Start positions")
struct StartPositionTests {
    @Test(
        "The forms of a position",
        arguments: [
            ("1.5", .time(.seconds(1.5))), ("1:00", .time(.seconds(60))), ("50%", .percent(50)),
            ("0%", .percent(0)),
            ("-10", .beforeEnd(.seconds(10))), ("-1:00.5", .beforeEnd(.seconds(60.5))), ("--1", nil),
            ("-", nil),
            ("-x", nil), ("-#1", nil), ("+3", .time(.seconds(3))), ("++3", nil), ("+-3", nil),
            ("12.5%", .percent(12.5)), ("100%", .percent(100)), ("#1", .chapter(1)), ("#12", .chapter(12)),
            ("101%", nil), ("-1%", nil), ("%", nil), ("1e1%", nil), ("#0", nil), ("#", nil), ("#+1", nil),
            ("#-1", nil), ("x", nil), ("", nil),
        ] as [(String, StartPosition?)]
    )
    func forms(text: String, expected: StartPosition?) {
        #expect(StartPosition(argument: text) == expected)
    }

    @Test(
        "Reverse playback is limited by the start and the end of an entry, or those of the command",
        arguments: [
            ([], "start=1,end=2", 2, 1), (["--start", "1", "--end", "2"], "", 2, 1),
            (["--start", "1", "--end", "2"], "start=0.5,end=3", 3, 0.5),
        ] as [([String], String, Double, Double)]
    )
    func reverse(arguments: [String], text: String, start: Double, end: Double) throws {
        let options = try PlayOptions(PlayCommand.parse(["--rate=-1", "a.mp4"] + arguments))
        let playback = try play(options, text: text, remaining: nil)
        #expect(playback.start.seconds == start)
        #expect(playback.item.reversePlaybackEndTime.seconds == end)
    }

    @Test(
        "--duration is the end of the item, unless the item may be a presentation, which may choose its start",
        arguments: [
            ("http://host/a.mp4", 1), ("a.mp4", 1), ("http://host/a.m3u8", nil), ("http://host/live", nil),
        ] as [(String, Double?)]
    )
    func endOfDuration(argument: String, expected: Double?) throws {
        let options = try PlayOptions(PlayCommand.parse([argument]))
        let end = try play(options, remaining: .seconds(1)).item.forwardPlaybackEndTime
        #expect(expected.map { abs(end.seconds - $0) < 0.001 } ?? !end.isNumeric)
    }

    /// Makes the playback of the only input.
    private func play(_ options: PlayOptions, text: String = "", remaining: MediaTime?) throws
        -> InputPlayback
    {
        let maker = ItemMaker(options)
        let input = try #require(options.inputs.first)
        let entry = PlaylistEntry(
            id: 0,
            input: input,
            asset: maker.asset(of: input),
            options: try LoadOptions(.string(text))
        )
        return try maker.make(entry, remaining: remaining).get()
    }

    @Test("The time of a position in an input")
    func times() {
        let chapters = [0, 4].map {
            Chapter(title: nil, timeRange: MediaTimeRange(start: .seconds($0), duration: .seconds(4)))
        }
        func time(_ text: String, _ duration: MediaTime = .seconds(8)) -> MediaTime? {
            StartPosition(argument: text)?.time(after: .seconds(1), duration: duration, chapters: chapters)
        }
        #expect(time("2") == .seconds(3))
        #expect(time("-3") == .seconds(5) && time("-0") == .seconds(8))
        #expect(time("-7") == .seconds(1) && time("-60") == .seconds(1))
        #expect(time("-3", .indefinite) == nil)
        #expect(time("50%") == .seconds(4))
        #expect(time("50%", .indefinite) == nil)
        #expect(time("#2") == .seconds(4))
        #expect(time("#3") == nil)
    }
}
