#if AppleSources
/// Changes of a text. They replace ranges that do not overlap.
struct Edits {
    private struct Edit {
        let range: Range<Int>
        let text: String
    }
    /// A range whose translation is moved to an offset in the file, between two texts.
    private struct Move {
        let range: Range<Int>
        let target: Int
        let before: String
        let after: String
    }
    private var edits: [Edit] = []
    private var moves: [Move] = []

    mutating func replace(_ range: Range<Int>, with text: String) {
        edits.append(Edit(range: range, text: text))
    }

    /// Inserts a text. Texts that are inserted at the same offset follow each other in the order of the calls.
    mutating func insert(_ text: String, at offset: Int) { replace(offset..<offset, with: text) }

    mutating func move(_ range: Range<Int>, to target: Int, before: String, after: String) {
        moves.append(Move(range: range, target: target, before: before, after: after))
    }

    /// Returns the changed text.
    func applied(to source: ParsedSource) -> String {
        var edits = edits
        for move in moves {
            let inside = edits.filter { Self.contains(move.range, $0.range) }
            edits.removeAll { Self.contains(move.range, $0.range) }
            let text = Self.apply(inside, to: source.bytes, in: move.range)
            edits.append(Edit(range: move.range, text: source.blank(move.range)))
            edits.append(Edit(range: move.target..<move.target, text: move.before + text + move.after))
        }
        return Self.apply(edits, to: source.bytes, in: 0..<source.bytes.count)
    }

    private static func contains(_ outer: Range<Int>, _ inner: Range<Int>) -> Bool {
        inner.lowerBound >= outer.lowerBound && inner.upperBound <= outer.upperBound
    }

    private static func apply(_ edits: [Edit], to bytes: [UInt8], in range: Range<Int>) -> String {
        var result: [UInt8] = []
        var offset = range.lowerBound
        // An insertion precedes a replacement that begins at the same offset.
        let ordered = edits.enumerated().sorted { first, second in
            let (a, b) = (first.element.range, second.element.range)
            return (a.lowerBound, a.upperBound, first.offset) < (b.lowerBound, b.upperBound, second.offset)
        }
        for edit in ordered.map(\.element) {
            result += bytes[offset..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            offset = edit.range.upperBound
        }
        result += bytes[offset..<range.upperBound]
        return String(decoding: result, as: UTF8.self)
    }
}
#endif
