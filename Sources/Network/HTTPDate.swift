internal import Glibc

/// The preferred form of dates in HTTP headers: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns the seconds since the beginning of 1970, or nil for text that is not such a date.
    static func seconds(_ text: String) -> Int64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].last == ",", days.contains(String(parts[0].dropLast())),
            let month = months.firstIndex(of: String(parts[2])), parts[5] == "GMT"
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let day = number(parts[1], digits: 2, 1...31),
            let year = number(parts[3], digits: 4, 1...9999), let hour = number(time[0], digits: 2, 0...23),
            let minute = number(time[1], digits: 2, 0...59), let second = number(time[2], digits: 2, 0...60)
        else { return nil }
        var moment = tm()
        (moment.tm_year, moment.tm_mon, moment.tm_mday) = (year - 1900, Int32(month), day)
        (moment.tm_hour, moment.tm_min, moment.tm_sec) = (hour, minute, second)
        let seconds = timegm(&moment)
        // `timegm` carries a day over that its month does not have.
        return moment.tm_mday == day || second == 60 ? Int64(seconds) : nil
    }

    private static func number(_ text: Substring, digits: Int, _ range: ClosedRange<Int32>) -> Int32? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int32(text).flatMap { range.contains($0) ? $0 : nil }
    }
}
