/// As text may be shown on a terminal: on one line, and without what would steer it.
///
/// File names, titles and libraries bring line breaks, control characters of both sets (an escape sequence
/// begins with one) and marks that turn the direction of what follows.
func oneLine(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    var wasReturn = false
    for scalar in text.unicodeScalars {
        defer { wasReturn = scalar == "\r" }
        if scalar == "\n", wasReturn { continue }
        switch scalar {
        case "\t", "\n", "\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}", "\u{2029}": shown.append(" ")
        case _ where scalar.steersTerminal: shown.append("\u{FFFD}")
        default: shown.append(scalar)
        }
    }
    return String(shown)
}

extension Unicode.Scalar {
    /// A control character of either set, or an override, embedding or isolate of direction.
    var steersTerminal: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
