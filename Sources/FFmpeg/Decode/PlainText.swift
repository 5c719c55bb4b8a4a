/// Removes the markup of ASS text.
enum PlainText {
    /// The number of fields before the text of an event as libavcodec writes it.
    static let fieldCount = 8
    /// The declaration of these fields.
    static let fields = """
        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
        """

    /// Returns the number of fields before the text as the header of a file declares it. The events of a file have a
    /// number instead of a start and an end.
    static func fieldCount(header: String) -> Int {
        let lines = header.split(whereSeparator: \.isNewline).drop { !$0.hasPrefix("[Events]") }
        guard let line = lines.first(where: { $0.hasPrefix("Format:") }) else { return fieldCount }
        let names = line.dropFirst("Format:".count).split(separator: ",").map {
            $0.filter { !$0.isWhitespace }.lowercased()
        }
        guard names.last == "text" else { return fieldCount }
        return names.filter { $0 != "start" && $0 != "end" }.count
    }

    /// Returns the text of an event: "ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text".
    static func ofEvent(_ event: String, fieldCount: Int = fieldCount) -> String {
        let fields = event.split(separator: ",", maxSplits: fieldCount, omittingEmptySubsequences: false)
        return fields.count > fieldCount ? ofMarkup(fields[fieldCount]) : ""
    }

    static func ofMarkup(_ markup: Substring) -> String {
        var text = ""
        var isDrawing = false
        var rest = markup
        // Searched for once: after it, each opening brace would be a search up to the end.
        let lastEnd = markup.lastIndex(of: "}") ?? markup.startIndex
        while let character = rest.popFirst() {
            if character == "{", rest.startIndex <= lastEnd, let end = rest.firstIndex(of: "}") {
                isDrawing = draws(rest[..<end]) ?? isDrawing
                rest = rest[rest.index(after: end)...]
                continue
            }
            // The commands of vector drawings are written as text and are skipped.
            if isDrawing { continue }
            guard character == "\\", let next = rest.first else {
                if character != "\r\n", character != "\r" { text.append(character) } else { text += "\n" }
                continue
            }
            switch next {
            case "N", "n": text += "\n"
            case "h": text += "\u{A0}"
            case "{", "}", "\\": text.append(next)
            default:
                text += "\\"
                continue
            }
            rest.removeFirst()
        }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }

    /// Returns whether a block of overrides begins or ends a drawing ("\p1", "\p0"), or nil if it does neither.
    private static func draws(_ overrides: Substring) -> Bool? {
        var result: Bool?
        for tag in overrides.split(separator: "\\") where tag.first == "p" {
            if let scale = Int(tag.dropFirst().prefix { $0.isNumber }) { result = scale > 0 }
        }
        return result
    }
}
