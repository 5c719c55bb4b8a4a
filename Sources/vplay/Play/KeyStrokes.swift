/// Splits the bytes of a terminal into keys. Bytes that begin like an escape sequence form one sequence, known or not,
/// and are never interpreted as other keys. A sequence may arrive in several parts.
struct KeyStrokes: Sendable {
    enum Stroke: Hashable, Sendable {
        case byte(UInt8)
        /// The Escape key: an escape that no sequence has followed.
        case escape
        /// An escape sequence without the escape.
        case sequence([UInt8])
    }

    private var pending: [UInt8] = []

    /// Whether the last byte is an escape, which is either the Escape key or the beginning of a sequence.
    var endsWithEscape: Bool { pending == [0x1B] }

    /// Discards an incomplete sequence. Bytes that arrive long after it do not belong to it.
    mutating func discardPending() { pending = [] }

    /// Returns the Escape key if the last byte is an escape that no sequence has followed.
    mutating func parseLoneEscape() -> Stroke? {
        guard endsWithEscape else { return nil }
        discardPending()
        return .escape
    }

    /// Appends bytes and returns all complete keys.
    mutating func parse(_ bytes: [UInt8]) -> [Stroke] {
        pending += bytes
        var strokes: [Stroke] = []
        while let first = pending.first {
            guard first == 0x1B else {
                pending.removeFirst()
                strokes.append(.byte(first))
                continue
            }
            guard let length = Self.sequenceLength(pending) else { break }
            strokes.append(.sequence(Array(pending[1..<length])))
            pending.removeFirst(length)
        }
        return strokes
    }

    /// Returns the length of the escape sequence at the start, or nil if it is incomplete.
    private static func sequenceLength(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 1 else { return nil }
        switch bytes[1] {
        case UInt8(ascii: "["): return controlLength(bytes)
        // SS2 and SS3 have one more byte: a function key, or an arrow in application mode.
        case UInt8(ascii: "O"), UInt8(ascii: "N"): return bytes.count > 2 ? 3 : nil
        // OSC, DCS, SOS, PM and APC strings, which a terminal sends as replies, end with BEL or ST.
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            for index in bytes.indices.dropFirst(2) {
                if bytes[index] == 0x07 { return index + 1 }
                if bytes[index] == UInt8(ascii: "\\"), bytes[index - 1] == 0x1B { return index + 1 }
            }
            return bytes.count > 4096 ? bytes.count : nil
        // After two escapes the second begins a sequence.
        case 0x1B: return 1
        // Alt and a key.
        default: return 2
        }
    }

    private static func controlLength(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 2 else { return nil }
        // F1 to F5 of the Linux console, and X10 mouse reports.
        if bytes[2] == UInt8(ascii: "[") { return bytes.count > 3 ? 4 : nil }
        if bytes[2] == UInt8(ascii: "M") { return bytes.count > 5 ? 6 : nil }
        for index in bytes.indices.dropFirst(2) where !(0x20...0x3F).contains(bytes[index]) {
            // A byte that is invalid in a sequence ends it, and is a separate key.
            return (0x40...0x7E).contains(bytes[index]) ? index + 1 : index
        }
        return bytes.count > 64 ? bytes.count : nil
    }
}
