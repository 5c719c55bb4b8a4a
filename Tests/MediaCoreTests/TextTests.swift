import Foundation
import MediaCore
import Testing

/// Tests the functions for text that replace those of the whole of Foundation, against these.
@Suite("Text without the whole of Foundation")
struct TextTests {
    @Test("Numbers are formatted as by String(format:)")
    func formats() {
        var values: [Double] = [0, -0.0, 0.5, 1.005, 2.675, 1e21, 123_456.789, -9.9995, .pi, 1 / 3]
        values += (0..<100).map { Double($0) * 7.77 - 300 }
        for value in values {
            for format in ["%f", "%.1f", "%.2f", "%.3f", "%.3f ms"] {
                #expect(String(printf: format, value) == String(format: format, value))
            }
        }
        #expect(String(printf: "%016lx", UInt64.max / 3) == "5555555555555555")
        #expect(String(printf: "%09llu", UInt64(1234)) == "000001234")
        #expect(String(printf: "%02lld:%02lld", Int64(7), Int64(59)) == "07:59")
        #expect(String(printf: "\\u%04x", UInt32(0x1B)) == "\\u001b")
    }

    @Test(
        "A path is divided at its last slash, also if a combining mark follows",
        arguments: [
            ("", "", ""), ("a", "", "a"), ("/a", "", "a"), ("a/", "a", ""), ("/b/c/a", "/b/c", "a"),
            ("b/\u{301}a", "b", "\u{301}a"),
        ]
    )
    func paths(path: String, parent: String, name: String) {
        #expect(Array(path.parentPath.utf8) == Array(parent.utf8))
        let start = path.fileNameStart ?? path.startIndex
        #expect(Array(path[start...].utf8) == Array(name.utf8))
        #expect((path.fileNameStart == nil) == !path.contains { $0.unicodeScalars.first == "/" })
    }

    @Test(
        "Percent-encoded text is decoded as by Foundation",
        arguments: [
            "", "a b", "a%20b", "%C3%A4", "%c3%a4%2F", "%", "%4", "%4g", "a%", "%FF", "%E2%82", "%00",
            "100%25",
            "%2525", "ä%41", "%%", "%+1",
        ]
    )
    func decoding(_ text: String) {
        #expect(text.percentDecoded == text.removingPercentEncoding)
        #expect(text[...].percentDecoded == text.removingPercentEncoding)
    }

    @Test(
        "White space is removed at both ends as by Foundation",
        arguments: [
            "", " ", " a ", "\t a b\u{A0}\r\n", "\u{3000}x\u{2003}", "a\nb\n", "\u{200B}a\u{200B}",
            " \u{301}a",
            "a\u{301} ",
        ]
    )
    func trimming(_ text: String) {
        #expect(text.trimmed == text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test("A byte-order mark counts as white space")
    func byteOrderMark() {
        #expect(" \u{FEFF}a\u{FEFF}".trimmed == "a")
    }

    @Test("A date can be required to have a zone")
    func zones() {
        #expect(DateText.nanoseconds("1970-01-02T00:00:00", requiresZone: true) == nil)
        #expect(DateText.nanoseconds("1970-01-02T00:00:00.5", requiresZone: true) == nil)
        #expect(DateText.nanoseconds("1970-01-02T00:00:00", requiresZone: false) == 86_400_000_000_000)
        #expect(DateText.nanoseconds("1970-01-02T01:00:00.5+01:00", requiresZone: true) == 86_400_500_000_000)
    }
}
