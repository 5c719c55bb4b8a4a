import MediaCore
import Testing

@testable import HLS

/// Tests the dates in playlists.
@Suite("HLS: dates in playlists")
struct PlaylistDateTests {
    /// 2026-11-21 12:00 UTC in nanoseconds.
    private static let noon: Int64 = 1_795_262_400_000_000_000

    @Test(
        "ISO 8601 dates are parsed",
        arguments: [
            ("2026-11-21T12:00:00Z", 0), ("2026-11-21T12:00:00.5Z", 500_000_000),
            ("2026-11-21T12:00:00.123456789123Z", 123_456_789), ("2026-11-21t13:00:00+01:00", 0),
            ("2026-11-21 06:30:00-0530", 0), ("2026-11-21T14:00:00+02", 0), ("2026-11-21T12:00:00", 0),
            ("2026-11-22T00:00:00+12:00", 0), ("2026-12-21T12:00:00Z", 30 * 86_400_000_000_000),
            ("2024-02-29T12:00:00Z", -996 * 86_400_000_000_000),
            ("2026-11-20T24:00:00Z", -43_200_000_000_000), ("2026-11-21T11:59:60Z", 0),
        ] as [(Substring, Int64)]
    )
    func dates(_ text: Substring, _ fromNoon: Int64) {
        #expect(DateText.nanoseconds(text) == Self.noon + fromNoon)
    }

    @Test(
        "Invalid dates are rejected",
        arguments: [
            "", "2026-11-21", "2026-13-21T12:00:00Z", "2026-11-21T12:61:00Z", "2026-11-21T12:00:00+1", "now",
            "2026-11-21T12:00:00 UTC", "9999-11-21T12:00:00Z", "2026-11-21T12:00:0ZZ", "2026/11/21T12:00:00Z",
            "2026-02-30T12:00:00Z", "2026-11-21T12:00:00+0:100", "2026-11-21T12:00:00+::0100",
            "2026-02-29T00:00:00Z",
        ] as [Substring]
    )
    func noDates(_ text: Substring) {
        #expect(DateText.nanoseconds(text) == nil)
    }

    /// Returns the dates of a playlist, whose first line is omitted.
    private func spans(_ lines: String...) throws -> [String] {
        let text = "#EXTM3U\n" + lines.joined(separator: "\n")
        guard case .media(let media) = try PlaylistParser.parse(Array(text.utf8), at: "list.m3u8") else {
            return []
        }
        return media.dates.map { span in
            let seconds = Double(span.nanosecondsSince1970 - Self.noon) / 1e9
            return "\(span.timeRange.start.seconds)-\(span.timeRange.end.seconds) at \(seconds)"
        }
    }

    private let date = "#EXT-X-PROGRAM-DATE-TIME:"

    @Test("Segments without a date continue the dates before and after them")
    func segments() throws {
        #expect(try spans("#EXTINF:2,", "a.ts") == [])
        #expect(
            try spans(date + "2026-11-21T12:00:00Z", "#EXTINF:2,", "a", "#EXTINF:1.5,x", "b") == [
                "0.0-3.5 at 0.0"
            ]
        )
        // A date that continues the previous one does not begin another span.
        let one = "#EXTINF:2,\r\n\(date)2026-11-21T12:00:00Z\r\na.ts\r"
        #expect(
            try spans(one, "#EXTINF:2.0", date + "2026-11-21T12:00:02Z", "b") == ["0.0-4.0 at 0.0"]
        )
        #expect(
            try spans(one, "#EXTINF:2", date + "2026-11-21T12:01:00Z", "b") == [
                "0.0-2.0 at 0.0", "2.0-4.0 at 60.0",
            ]
        )
        // Segments before the first date are dated backwards from it.
        #expect(
            try spans("#EXTINF:3,", "a", "#EXTINF:1,", "b", date + "2026-11-21T12:00:00Z", "#EXTINF:2,", "c")
                == ["0.0-4.0 at -4.0", "4.0-6.0 at 0.0"]
        )
    }

    @Test("Invalid dates, and dates without a segment, are ignored")
    func nonsense() throws {
        #expect(try spans(date + "yesterday", "#EXTINF:2,", "a") == [])
        #expect(try spans(date + "2026-11-21T12:00:00Z") == [])
        #expect(
            try spans(date + "2026-11-21T12:00:00Z", date + "\u{0}", "#EXTINF:2,", "a", "#EXTINF:0,", "b")
                == [
                    "0.0-2.0 at 0.0"
                ]
        )
    }

    @Test("Dates and durations at the limits do not overflow, and spans are in order")
    func extremes() throws {
        var random = SplitMix64(5)
        for _ in 0..<200 {
            let lines = (0..<20).map { _ in
                let dates = ["", date + "1700-01-01T00:00:00Z\n", date + "2199-12-31T23:59:60Z\n"]
                let duration = ["0", "0.000001", "31622399.999999"].randomElement(using: &random) ?? ""
                return "\(dates.randomElement(using: &random) ?? "")#EXTINF:\(duration)\na"
            }
            let text = "#EXTM3U\n" + lines.joined(separator: "\n")
            guard case .media(let media) = try PlaylistParser.parse(Array(text.utf8), at: "list.m3u8") else {
                continue
            }
            let ranges = media.dates.map(\.timeRange)
            #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.end <= $1.start })
        }
    }
}
