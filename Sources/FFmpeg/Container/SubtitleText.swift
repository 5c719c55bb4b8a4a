internal import MediaCore

/// Converts text files of subtitles to the form that libav's demuxers read without losing cues: UTF-8, and WebVTT that
/// consists of cues.
enum SubtitleText {
    /// The largest size in bytes of a file that is converted.
    static let byteLimit = 16 << 20

    /// Returns whether the first bytes of a file may be text: in UTF-16 with a byte order mark, or in an encoding that
    /// extends ASCII.
    static func canBegin(with head: [UInt8]) -> Bool {
        isUTF16(head) || head.allSatisfy { $0 >= 0x20 || [tab, lineFeed, carriageReturn].contains($0) }
    }

    /// Converts a file whose format has the given name in libav. `encoding` is that of a file that is not UTF-8.
    static func converted(_ bytes: [UInt8], format: String, encoding: TextEncoding? = nil) -> [UInt8] {
        let text = utf8(bytes, encoding: encoding)
        return format == "webvtt" ? cues(of: text) : text
    }

    /// Converts UTF-16 with a byte order mark to UTF-8. Other text that is not UTF-8 has the given encoding. If that is
    /// nil, each line that is not UTF-8 is read as Windows-1252, which contains the printable characters of ISO 8859-1.
    static func utf8(_ bytes: [UInt8], encoding: TextEncoding? = nil) -> [UInt8] {
        if isUTF16(bytes) {
            let isBigEndian = bytes[0] == 0xFE
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return isBigEndian ? first << 8 | second : second << 8 | first
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        }
        if String(validating: bytes, as: UTF8.self) != nil { return bytes }
        if let encoding { return encoding.utf8(bytes) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != lineFeed && $0 != carriageReturn }
            let isValid = String(validating: line, as: UTF8.self) != nil
            if isValid { text += line } else { text += windows1252(line) }
            // The end of the line.
            text += rest[line.endIndex...].prefix(1)
            rest = rest[line.endIndex...].dropFirst()
        }
        return text
    }

    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    }

    /// The characters of Windows-1252 from 0x80 to 0x9F. The others are those of ISO 8859-1.
    private static let windowsCharacters = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars
    )

    private static func windows1252(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var text = String.UnicodeScalarView()
        for byte in line {
            text.append(0x80...0x9F ~= byte ? windowsCharacters[Int(byte) - 0x80] : Unicode.Scalar(byte))
        }
        return Array(String(text).utf8)
    }

    /// Returns the first line and the cues of WebVTT, each after one blank line. Style sheets, regions, comments,
    /// identifiers and cues without valid times are left out: at some of these libav ends the file.
    private static func cues(of bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + 2)
        var rest = bytes[...]
        var isKept = true
        while !rest.isEmpty {
            let line = rest.prefix { $0 != lineFeed && $0 != carriageReturn }
            rest = rest[line.endIndex...]
            rest = rest.dropFirst(rest.starts(with: [carriageReturn, lineFeed]) ? 2 : 1)
            if isTiming(line) {
                text.append(lineFeed)
                isKept = true
            } else if line.isEmpty {
                isKept = false
            }
            guard isKept else { continue }
            // At a NUL, libav ends the file. The standard replaces it.
            if line.contains(0) {
                for byte in line { if byte == 0 { text += "\u{FFFD}".utf8 } else { text.append(byte) } }
            } else {
                text += line
            }
            text.append(lineFeed)
            // The lines after the first one are headers.
            if line.startIndex == bytes.startIndex { isKept = isTiming(line) }
        }
        return text
    }

    /// Returns whether a line begins a cue: "00:01.000 --> 00:02.000", with hours or without, and with any settings.
    private static func isTiming(_ line: ArraySlice<UInt8>) -> Bool {
        // The search is slow, and almost every other line begins otherwise.
        guard beginsWithTime(line), let arrow = line.firstRange(of: "-->".utf8) else { return false }
        return beginsWithTime(line[arrow.upperBound...])
    }

    /// Returns whether a text begins with what libav reads as a time.
    private static func beginsWithTime(_ text: ArraySlice<UInt8>) -> Bool {
        func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
        var rest = text.drop { $0 == 0x20 || $0 == tab }
        for fieldCount in 1...3 {
            let digits = rest.prefix(while: isDigit)
            guard !digits.isEmpty else { return false }
            rest = rest[digits.endIndex...]
            let separator = rest.popFirst()
            if separator == UInt8(ascii: ".") { return fieldCount > 1 && rest.first.map(isDigit) == true }
            guard separator == UInt8(ascii: ":") else { return false }
        }
        return false
    }

    private static let tab = UInt8(ascii: "\t")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
