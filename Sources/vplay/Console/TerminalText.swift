/// Returns text that can be shown on one line of a terminal.
///
/// File names, titles and library messages may contain line breaks, C0 and C1 control characters, which begin escape
/// sequences, and marks that change the direction of text. Line breaks and tabs become spaces, the others U+FFFD.
func oneLine(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    var wasReturn = false
    for scalar in text.unicodeScalars {
        defer { wasReturn = scalar == "\r" }
        if scalar == "\n", wasReturn { continue }
        switch scalar {
        case "\t", "\n", "\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}", "\u{2029}": shown.append(" ")
        case _ where scalar.controlsTerminal: shown.append("\u{FFFD}")
        default: shown.append(scalar)
        }
    }
    return String(shown)
}

extension Unicode.Scalar {
    /// Whether the character is a C0 or C1 control character, or a bidirectional override, embedding or isolate.
    var controlsTerminal: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// The number of terminal columns that the text occupies.
    var columnCount: Int { unicodeScalars.reduce(0) { $0 + $1.columnCount } }

    /// Returns the text, truncated with an ellipsis if it exceeds `limit` columns.
    func cut(toColumns limit: Int) -> String {
        guard columnCount > limit else { return self }
        guard limit > 0 else { return "" }
        var (kept, width) = ("", 0)
        for character in self {
            let more = String(character).columnCount
            guard width + more < limit else { break }
            kept.append(character)
            width += more
        }
        return kept + "…"
    }
}

extension Unicode.Scalar {
    /// The width in columns: 2 for East Asian wide characters and emoji, 0 for combining characters.
    fileprivate var columnCount: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
