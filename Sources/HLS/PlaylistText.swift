internal import Foundation
package import MediaCore

/// The dates of the segments of a playlist (`EXT-X-PROGRAM-DATE-TIME`), which libav's HLS demuxer does not report.
///
/// Accepts any text. Invalid lines are ignored.
package struct PlaylistText {
    /// The maximum size of a playlist whose dates are read.
    package static let byteLimit: Int64 = 8 << 20

    /// The dates on a timeline that begins with the first segment. The date of a segment without its own follows from
    /// the segment before. Dates of segments before the first date are counted back from it.
    package let dates: [DateSpan]

    /// Parses the text of a media playlist.
    package init(_ text: String) {
        var spans: [Span] = []
        var ownDate: Int64?
        var length: Int64 = 0
        var end: Int64 = 0
        for line in text.split(whereSeparator: \.isNewline) {
            let line = Self.trimmed(line)
            if let value = Self.value(of: "#EXT-X-PROGRAM-DATE-TIME", in: line) {
                ownDate = DateText.nanoseconds(value) ?? ownDate
            } else if let value = Self.value(of: "#EXTINF", in: line) {
                length = Self.nanoseconds(value.prefix { $0 != "," }) ?? 0
            } else if !line.hasPrefix("#"), !line.isEmpty {
                let (next, overflow) = end.addingReportingOverflow(length)
                guard !overflow else { break }
                Self.append(Span(start: end, end: next, date: ownDate), to: &spans)
                (end, length, ownDate) = (next, 0, nil)
            }
        }
        Self.dateBackward(&spans)
        dates = spans.compactMap { span in
            guard let date = span.date, span.end > span.start else { return nil }
            return DateSpan(
                timeRange: MediaTimeRange(
                    start: MediaTime(nanoseconds: span.start),
                    end: MediaTime(nanoseconds: span.end)
                ),
                nanosecondsSince1970: date
            )
        }
    }

    /// A time range in nanoseconds, and the date of its start in nanoseconds.
    private struct Span {
        var start: Int64
        var end: Int64
        var date: Int64?
    }

    /// Appends a range. A range that continues the last one without a gap extends it.
    private static func append(_ span: Span, to spans: inout [Span]) {
        guard let last = spans.last else { return spans.append(span) }
        let goesOn = last.date.map { $0.addingReportingOverflow(span.start - last.start) }
        let isSame = span.date == nil || goesOn.map { !$0.overflow && $0.partialValue == span.date } ?? false
        if isSame { spans[spans.count - 1].end = span.end } else { spans.append(span) }
    }

    private static func dateBackward(_ spans: inout [Span]) {
        guard spans.count > 1, spans[0].date == nil, let next = spans[1].date else { return }
        let (date, overflow) = next.subtractingReportingOverflow(spans[0].end - spans[0].start)
        if !overflow { spans[0].date = date }
    }

    private static func value(of tag: String, in line: Substring) -> Substring? {
        guard line.hasPrefix(tag), line.dropFirst(tag.count).first == ":" else { return nil }
        return trimmed(line.dropFirst(tag.count + 1))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        text.trimmingCharacters(in: .whitespacesAndNewlines)[...]
    }

    /// Parses decimal seconds without rounding. Returns nil for invalid text and for more than a year.
    static func nanoseconds(_ text: Substring) -> Int64? {
        let parts = trimmed(text).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let seconds = Int64(first.isEmpty ? "0" : first), seconds >= 0,
            seconds < 366 * 86_400
        else { return nil }
        guard parts.count > 1 else { return first.isEmpty ? nil : seconds * 1_000_000_000 }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let digits = parts[1].prefix(9)
        let scale = (digits.count..<9).reduce(Int64(1)) { scale, _ in scale * 10 }
        return seconds * 1_000_000_000 + (Int64(digits) ?? 0) * scale
    }
}

/// Parses ISO 8601 dates such as "2026-11-21T12:00:00.250+01:00".
enum DateText {
    /// Returns the nanoseconds since the beginning of 1970 (UTC). A date without a zone is in UTC. Returns nil for
    /// invalid text and for years outside of 1700 to 2199.
    static func nanoseconds(_ text: Substring) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(bytes[10]),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(bytes[0..<4], 1700...2199), let month = number(bytes[5..<7], 1...12),
            let day = number(bytes[8..<10], 1...31), let hour = number(bytes[11..<13], 0...24),
            let minute = number(bytes[14..<16], 0...59), let second = number(bytes[17..<19], 0...60)
        else { return nil }
        var rest = bytes[19...]
        var fraction: Int64 = 0
        if let point = rest.first, point == UInt8(ascii: ".") || point == UInt8(ascii: ",") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard let value = PlaylistText.nanoseconds("0." + String(decoding: digits, as: UTF8.self)) else {
                return nil
            }
            fraction = value
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = zone(Array(rest)) else { return nil }
        var moment = tm()
        (moment.tm_year, moment.tm_mon, moment.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        (moment.tm_hour, moment.tm_min, moment.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        return (Int64(timegm(&moment)) - offset) * 1_000_000_000 + fraction
    }

    private static func number(_ bytes: ArraySlice<UInt8>, _ range: ClosedRange<Int64>) -> Int64? {
        guard bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let value = bytes.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        return range.contains(value) ? value : nil
    }

    /// Returns the offset of a zone from UTC in seconds. Zones are "Z", "+01:00", "+0100", "+01" or an empty string.
    private static func zone(_ bytes: [UInt8]) -> Int64? {
        if bytes.isEmpty || bytes == [UInt8(ascii: "Z")] || bytes == [UInt8(ascii: "z")] { return 0 }
        let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            digits.count == 2 || digits.count == 4, let hours = number(digits[0..<2], 0...23),
            let minutes = number(digits[2...], 0...59)
        else { return nil }
        let offset = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -offset : offset
    }
}
