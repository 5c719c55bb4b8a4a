import MediaCore
import Playhead
import Testing

@testable import FFmpeg

struct SubtitleTextTests {
    private static let one = "00:01.000 --> 00:02.000\none\n"
    private static let two = "00:00:03.000 --> 00:00:04.000 line:0\ntwo\n"
    private static let cues = "WEBVTT\n\n\(one)\n\(two)"
    private static let style = "STYLE\n::cue(b) {\n  color: red;\n}\n"

    static let files: [(String, String)] = [
        (cues, cues),
        ("WEBVTT\n\n\(style)\n\(one)\n\(two)", cues),
        ("WEBVTT\n\n\(one)\n\(style)\n\(two)", cues),
        ("WEBVTT\n\n\(one)\n\(two)\n\(style)", cues),
        ("WEBVTT\n\n\(one)\n\(two)\nSTYLE", cues),
        ("WEBVTT\n\nSTYLE \t\n::cue {}\n\n\(one)\n\(two)", cues),
        ("WEBVTT\n\nREGION\nid:a\nwidth:40%\n\n\(one)\n\(two)", cues),
        ("WEBVTT\n\nNOTE\nno cue\n\n1\n\(one)\nNOTE no cue\n\n\(two)", cues),
        ("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:1,LOCAL:00:00.000\nStyle:\n##\n\n\n\(one)\n\n\n\(two)\n\n", cues),
        // The times of a cue end every other block, and any line may be an identifier.
        ("WEBVTT\n\(one)\(two)", cues),
        ("WEBVTT\n\n\(style)\(one)\nNOTE\n\(two)", cues),
        ("WEBVTT\n\nSTYLE\n\(one)\nREGION\n\(two)", cues),
        // Lines of a text.
        ("WEBVTT\n\n\(one)STYLE\nNOTE\n1\na --> b\n", "WEBVTT\n\n\(one)STYLE\nNOTE\n1\na --> b\n"),
        // Invalid times.
        ("WEBVTT\n\n\(one)\n00:02 --> 00:03.000\nlost\n\n1:2:3:4.5 --> 6\nlost\n\nlost\n\n\(two)", cues),
        ("\u{FEFF}WEBVTT\n\n\(style)\n\(one)", "\u{FEFF}WEBVTT\n\n\(one)"),
        ("WEBVTT", "WEBVTT\n"), ("", ""),
    ]

    @Test("WebVTT is reduced to its cues, with any line endings", arguments: files)
    func webVTT(_ file: String, _ text: String) {
        for ending in ["\n", "\r\n", "\r"] {
            let bytes = file.utf8.flatMap { $0 == UInt8(ascii: "\n") ? Array(ending.utf8) : [$0] }
            let converted = SubtitleText.converted(bytes, format: "webvtt")
            #expect(String(decoding: converted, as: UTF8.self) == text)
        }
        #expect(SubtitleText.converted(Array(file.utf8), format: "srt") == Array(file.utf8))
    }

    @Test("A NUL in a cue is replaced")
    func null() {
        let bytes = Array("WEBVTT\n\n00:01.000 --> 00:02.000\na\0b\n".utf8)
        let text = String(decoding: SubtitleText.converted(bytes, format: "webvtt"), as: UTF8.self)
        #expect(text.hasSuffix("\na\u{FFFD}b\n"))
    }

    private static func encoded(_ text: String, isBigEndian: Bool) -> [UInt8] {
        "\u{FEFF}\(text)".utf16.flatMap { unit -> [UInt8] in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    @Test("UTF-16 with a byte order mark is converted", arguments: [false, true])
    func utf16(_ isBigEndian: Bool) {
        func converted(_ bytes: [UInt8]) -> String {
            String(decoding: SubtitleText.utf8(bytes), as: UTF8.self)
        }
        let text = "1\r\n\u{41F}\u{440} \u{65E5}\u{1F600}\n"
        let bytes = Self.encoded(text, isBigEndian: isBigEndian)
        #expect(converted(bytes) == text)
        #expect(converted(bytes + [0x31]) == text)
        // Half of a surrogate pair.
        #expect(converted(Array(bytes.dropLast(4))) == "1\r\n\u{41F}\u{440} \u{65E5}\u{FFFD}")
        #expect(converted(Array(bytes.prefix(2))).isEmpty && converted(Array(bytes.prefix(3))).isEmpty)
    }

    @Test("Lines that are not UTF-8 are read as Windows-1252")
    func windows1252() {
        let file = Array("\u{E9}t\u{E9}\r\n".utf8) + [0xC9, 0x74, 0xE9, 0x20, 0x80, 0x93, 0x81, 0x0D, 0x0A]
        let text = "\u{E9}t\u{E9}\r\n\u{C9}t\u{E9} \u{20AC}\u{201C}\u{81}\r\n"
        #expect(SubtitleText.utf8(file) == Array(text.utf8))
        #expect(SubtitleText.utf8(Array(text.utf8)) == Array(text.utf8))
        // Each line by itself, whatever ends it.
        #expect(SubtitleText.utf8([0xC3, 0xA9, 0x0D, 0xE9]) == Array("\u{E9}\r\u{E9}".utf8))
        let all = String(decoding: SubtitleText.utf8(Array(0x80...0xFF)), as: UTF8.self)
        #expect(all.unicodeScalars.count == 128 && all.hasSuffix("\u{FE}\u{FF}"))
    }

    @Test("A file that is not UTF-8 has the given encoding")
    func encoding() throws {
        let encoding = try #require(TextEncoding("CP1251"))
        let text = "\u{41F}\u{440}\r\n"
        #expect(SubtitleText.utf8([0xCF, 0xF0, 0x0D, 0x0A], encoding: encoding) == Array(text.utf8))
        #expect(SubtitleText.utf8(Array(text.utf8), encoding: encoding) == Array(text.utf8))
    }

    @Test("Text begins without control characters, or with a byte order mark of UTF-16")
    func beginning() {
        for head in [Array("1\r\n\t\u{E9}".utf8), [0xE9], [0xFF, 0xFE, 0x31, 0], [0xFE, 0xFF, 0, 0x31]] {
            #expect(SubtitleText.canBegin(with: head))
        }
        for head: [UInt8] in [[0, 0, 0, 0x20], [0x47, 0x40, 0x11, 0x10], [0x31, 0]] {
            #expect(!SubtitleText.canBegin(with: head))
        }
    }

    private static let subRip =
        "1\n00:00:01,000 --> 00:00:02,000\n\u{41F}\n\n2\n00:00:03,000 --> 00:00:04,000\nb\n"
    private static let ass = """
        [Script Info]
        ScriptType: v4.00+

        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
        Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,\u{41F}

        """

    static let inputs: [(String, [UInt8], [String])] = [
        ("a.vtt", Array("WEBVTT\n\n\(style)\n\(one)\nREGION\nid:a\n\n\(two)".utf8), ["one", "two"]),
        ("a.vtt", encoded("WEBVTT\n\n\(style)\n\(one)", isBigEndian: false), ["one"]),
        ("a.srt", encoded(subRip, isBigEndian: false), ["\u{41F}", "b"]),
        ("a.srt", encoded(subRip, isBigEndian: true), ["\u{41F}", "b"]),
        ("a.ass", encoded(ass, isBigEndian: false), ["\u{41F}"]),
        ("a.srt", Array("1\n00:00:01,000 --> 00:00:02,000\ncaf".utf8) + [0xE9, 0x0A], ["caf\u{E9}"]),
    ]

    @Test("All cues of a file are read, in each encoding", arguments: inputs)
    func played(_ name: String, _ bytes: [UInt8], _ texts: [String]) async throws {
        let asset = Asset(DataByteSource(bytes, name: name))
        try await asset.load()
        let track = try #require(asset.tracks.first { $0.mediaType == .subtitle })
        #expect(try await asset.cues(of: track).map(\.text) == texts)
    }
}
