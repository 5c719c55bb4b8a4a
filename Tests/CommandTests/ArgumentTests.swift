import Playhead
import Testing

@testable import vplay

@Suite("Arguments")
struct ArgumentTests {
    @Test(
        arguments: [
            ("0", 0, 1), ("3.2", 32, 10), ("3.200", 32, 10), ("90", 90, 1), ("1:30", 90, 1),
            ("01:02:03.5", 37235, 10), ("100:00", 6000, 1), ("0.000000001", 1, 1_000_000_000), ("3.", 0, 0),
            (".5", 0, 0), ("", 0, 0), ("-1", 0, 0), ("+1", 0, 0), ("1e3", 0, 0), ("1:60", 0, 0),
            ("1:2:3:4", 0, 0),
            ("0.1234567891", 0, 0), ("nan", 0, 0), ("1:-2", 0, 0), ("9223372036854775807:00", 0, 0),
            ("٣", 0, 0),
            ("9223372036854775807.5", 0, 0), ("1.5:2", 0, 0), ("1 ", 0, 0),
        ] as [(String, Int64, Int32)]
    )
    func times(text: String, value: Int64, timescale: Int32) {
        let time = TimeArgument(argument: text)?.time
        #expect(time == (timescale == 0 ? nil : MediaTime(value: value, timescale: timescale)))
    }

    @Test(arguments: [("640x360", true), ("0x1", false), ("640", false), ("1x2x3", false), ("-1x2", false)])
    func sizes(text: String, isValid: Bool) {
        #expect((SizeArgument(argument: text) != nil) == isValid)
    }

    @Test func aListGoesRoundAsOftenAsAsked() {
        var list = Playlist(count: 2, repeats: .times(2))
        var order: [Int] = []
        while let index = list.next() {
            order.append(index)
            list.notePlayed(index)
        }
        #expect(order == [0, 1, 0, 1])
    }

    @Test func aListOfWhichNothingCanBePlayedEnds() {
        var list = Playlist(count: 3, repeats: .forever)
        var order: [Int] = []
        while let index = list.next() { order.append(index) }
        #expect(order == [0, 1, 2])
    }

    @Test func aListOfWhichNothingCanBePlayedAnyMoreEnds() {
        var list = Playlist(count: 2, repeats: .forever)
        list.notePlayed(0)
        #expect((0..<4).map { _ in list.next() } == [0, 1, 0, 1])
        list.noteFailed(1)
        #expect(list.next() == 0)
        list.noteFailed(0)
        #expect((0..<2).map { _ in list.next() } == [1, nil])
    }

    @Test func keysComeInOneRead() {
        let bytes = Array(" \u{1B}[C\u{1B}[Dxq".utf8)
        #expect(Key.parse(bytes) == [.togglePause, .forward, .back, .quit])
        #expect(Key.parse([0x1B]).isEmpty)
        #expect(Key.parse([0x1B, 0x5B]).isEmpty)
    }

    @Test(arguments: [0, 5, 20, 40, 80, 500])
    func theStatusLineFitsTheTerminal(columns: Int) {
        let line = StatusLine.text(
            time: MediaTime(value: 61, timescale: 1),
            duration: MediaTime(value: 3723, timescale: 1),
            rate: 1,
            dropped: 3,
            columns: columns
        )
        #expect(line.utf8.count < max(1, columns))
        if columns >= 80 {
            #expect(line.hasPrefix("01:01 / 1:02:03 [") && line.hasSuffix("] 1.0x dropped 3"))
        }
    }
}

@Suite("JSON")
struct JSONTests {
    @Test func whatMustBeEscapedIs() {
        let value = JSONValue.object([
            ("a\"b", .string("\\ \n\t\u{1}\u{7F}ü🎬")), ("n", .null), ("l", .array([])),
        ])
        #expect(value.text == #"{"a\"b":"\\ \n\t\u0001\u007fü🎬","n":null,"l":[]}"#)
    }

    @Test(arguments: [
        (MediaTime(value: 1, timescale: 3), "0.333333333"), (MediaTime(value: -5, timescale: 2), "-2.5"),
        (MediaTime(value: 60, timescale: 1), "60"), (MediaTime.zero, "0"), (MediaTime.indefinite, "null"),
        (MediaTime(nanoseconds: 59_340), "0.00005934"),
    ])
    func timesAreDecimals(time: MediaTime, text: String) {
        #expect(JSONValue.time(time).text == text)
    }

    @Test func numbersThatJSONDoesNotHaveAreNull() {
        #expect(JSONValue.real(Double.nan).text == "null")
        #expect(JSONValue.real(Float.infinity).text == "null")
    }
}
