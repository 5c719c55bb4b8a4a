/// Tells what a terminal sends for one key from the next. What begins like an escape sequence is one, known or not, and is
/// never taken for other keys; it may come in parts.
struct KeyStrokes: Sendable {
    enum Stroke: Hashable, Sendable {
        case byte(UInt8)
        /// What came behind an escape.
        case sequence([UInt8])
    }

    private var pending: [UInt8] = []

    /// What came last is an escape, and what belongs to it may still come; or it was that key.
    var awaitsMore: Bool { pending == [0x1B] }

    mutating func forget() { pending = [] }

    mutating func take(_ bytes: [UInt8]) -> [Stroke] {
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

    /// Bytes of the escape sequence at the start; nil: more must come.
    private static func sequenceLength(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 1 else { return nil }
        switch bytes[1] {
        case UInt8(ascii: "["): return controlLength(bytes)
        // One more: a function key, an arrow in another mode.
        case UInt8(ascii: "O"), UInt8(ascii: "N"): return bytes.count > 2 ? 3 : nil
        // Strings, which a terminal sends as answers: up to a bell, or to escape and backslash.
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            for index in bytes.indices.dropFirst(2) {
                if bytes[index] == 0x07 { return index + 1 }
                if bytes[index] == UInt8(ascii: "\\"), bytes[index - 1] == 0x1B { return index + 1 }
            }
            return bytes.count > 4096 ? bytes.count : nil
        // Two escapes: the second begins anew.
        case 0x1B: return 1
        // A key with Alt.
        default: return 2
        }
    }

    private static func controlLength(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 2 else { return nil }
        // The Linux console's F1 to F5, and a mouse of old.
        if bytes[2] == UInt8(ascii: "[") { return bytes.count > 3 ? 4 : nil }
        if bytes[2] == UInt8(ascii: "M") { return bytes.count > 5 ? 6 : nil }
        for index in bytes.indices.dropFirst(2) where !(0x20...0x3F).contains(bytes[index]) {
            // What cannot be in a sequence ends it, and is a key of its own.
            return (0x40...0x7E).contains(bytes[index]) ? index + 1 : index
        }
        return bytes.count > 64 ? bytes.count : nil
    }
}
