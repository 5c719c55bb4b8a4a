import MediaCore
import Testing

struct TextEncodingTests {
    @Test(
        "Text is converted to UTF-8; an invalid or incomplete character becomes U+FFFD",
        arguments: [
            ("CP1251", [0xCF, 0xF0, 0x0A], "\u{41F}\u{440}\n"),
            ("SHIFT_JIS", [0x93, 0xFA, 0x96, 0x7B], "\u{65E5}\u{672C}"),
            ("SHIFT_JIS", [0x41, 0x93], "A\u{FFFD}"),
            ("UTF-8", [0x41, 0xFF, 0x42], "A\u{FFFD}B"),
            // The converter keeps a letter until it knows whether a mark follows.
            ("CP1258", [0x41], "A"),
            ("CP1251", [], ""),
        ] as [(String, [UInt8], String)]
    )
    func converts(_ name: String, _ bytes: [UInt8], _ text: String) throws {
        let encoding = try #require(TextEncoding(name))
        #expect(String(decoding: encoding.utf8(bytes), as: UTF8.self) == text)
    }

    @Test("Text longer than the buffer is converted as a whole")
    func long() throws {
        let encoding = try #require(TextEncoding("CP1251"))
        let bytes = [UInt8](repeating: 0xCF, count: 10_001)
        #expect(encoding.utf8(bytes) == Array(String(repeating: "\u{41F}", count: 10_001).utf8))
    }

    @Test("A name that the system does not know is refused")
    func unknown() { #expect(TextEncoding("no such encoding") == nil) }
}
