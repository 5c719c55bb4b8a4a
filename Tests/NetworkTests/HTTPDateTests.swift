import Foundation
import Testing

@testable import Network

/// Tests dates in HTTP headers.
@Suite("HTTP dates")
struct HTTPDateTests {
    @Test("A date is read as by Foundation's formatter")
    func dates() {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        for day in 0..<800 {
            let date = Date(timeIntervalSince1970: Double(day) * 40 * 86_400 + Double(day) * 107)
            #expect(HTTPDate.seconds(format.string(from: date)) == Int64(date.timeIntervalSince1970))
        }
    }

    @Test(
        "All three forms of RFC 9110 are dates, and what servers send instead",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "sun, 06 nov 1994 08:49:37 gmt", "Sun, 6 Nov 1994 08:49:37 UTC",
            "Sun,  06 Nov 1994 09:49:37 +0100",
        ]
    )
    func forms(_ text: String) {
        #expect(HTTPDate.seconds(text) == 784_111_777)
    }

    @Test(
        "Other text is no date",
        arguments: [
            "", "now", "yesterday", "Sun, 06 Nov 1994 24:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nox 1994 08:49:37 GMT", "1 apple",
        ]
    )
    func others(_ text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }
}
