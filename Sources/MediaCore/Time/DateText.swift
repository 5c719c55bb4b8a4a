internal import Glibc

/// Parses ISO 8601 dates such as "2026-11-21T12:00:00.250+01:00".
package enum DateText {
    /// Returns the nanoseconds since the beginning of 1970 (UTC).
    ///
    /// - Parameters:
    ///   - text: The date.
    ///   - requiresZone: Whether a date without a zone is invalid. Otherwise it is in UTC.
    /// - Returns: The nanoseconds, or nil for invalid text and for years outside of 1700 to 2199.
    package static func nanoseconds(_ text: Substring, requiresZone: Bool = false) -> Int64? {
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
            fraction = (0..<9).reduce(0) { value, index in
                value * 10 + (index < digits.count ? Int64(digits[digits.startIndex + index] - 0x30) : 0)
            }
            rest = rest.dropFirst(1 + digits.count)
        }
        guard !requiresZone || !rest.isEmpty, let offset = zone(Array(rest)) else { return nil }
        var moment = tm()
        (moment.tm_year, moment.tm_mon, moment.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        let midnight = timegm(&moment)
        // `timegm` carries over a day that its month does not have.
        guard moment.tm_mday == Int32(day), hour < 24 || minute == 0 && second == 0 else { return nil }
        let seconds = Int64(midnight) + hour * 3600 + minute * 60 + second
        return (seconds - offset) * 1_000_000_000 + fraction
    }

    private static func number(_ bytes: ArraySlice<UInt8>, _ range: ClosedRange<Int64>) -> Int64? {
        guard bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let value = bytes.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        return range.contains(value) ? value : nil
    }

    /// Returns the offset of a zone from UTC in seconds. Zones are "Z", "+01:00", "+0100", "+01" or an empty string.
    private static func zone(_ bytes: [UInt8]) -> Int64? {
        if bytes.isEmpty || bytes == [UInt8(ascii: "Z")] || bytes == [UInt8(ascii: "z")] { return 0 }
        var digits = Array(bytes.dropFirst())
        if digits.count == 5, digits[2] == UInt8(ascii: ":") { digits.remove(at: 2) }
        guard let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            digits.count == 2 || digits.count == 4, let hours = number(digits[0..<2], 0...23),
            let minutes = number(digits[2...], 0...59)
        else { return nil }
        let offset = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -offset : offset
    }
}
