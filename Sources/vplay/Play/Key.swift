/// What a key on the terminal asks for.
enum Key: Hashable, Sendable {
    case togglePause, back, forward, backMinute, forwardMinute, backTenMinutes, forwardTenMinutes, slower,
        faster,
        toggleMute, quieter, louder, toggleLoop, stepOn, stepBack, previousInput, nextInput, snapshot,
        toggleFullscreen, help, quit

    /// The keys in one read of the terminal.
    static func parse(_ bytes: [UInt8]) -> [Key] {
        var parser = KeyParser()
        return parser.take(bytes)
    }

    static let list = """
        space  pause, go on            q      quit
        left, right    5 s back, on    [ ]    slower, faster
        down, up       1 min back, on  9 0    quieter, louder
        PgDn, PgUp     10 min back, on m      mute
        , .    a picture back, on      l      loop
        < >    previous, next input    s      save the picture as a file
        f      fill the screen         ?      this list
        """
}

/// Takes keys out of what a terminal sends.
struct KeyParser: Sendable {
    private var strokes = KeyStrokes()

    /// A lone escape was that key, and no beginning of what comes long after it.
    mutating func forget() { strokes.forget() }

    mutating func take(_ bytes: [UInt8]) -> [Key] {
        strokes.take(bytes).compactMap { stroke in
            switch stroke {
            case .byte(let byte): Self.plain[byte]
            case .sequence(let sequence): Self.sequences[sequence]
            }
        }
    }

    /// Behind the escape.
    private static let sequences: [[UInt8]: Key] = {
        var sequences: [[UInt8]: Key] = [
            Array("[5~".utf8): .forwardTenMinutes, Array("[6~".utf8): .backTenMinutes,
        ]
        let arrows: [(String, Key)] = [
            ("A", .forwardMinute), ("B", .backMinute), ("C", .forward), ("D", .back),
        ]
        for (letter, key) in arrows {
            sequences[Array("[\(letter)".utf8)] = key
            sequences[Array("O\(letter)".utf8)] = key
        }
        return sequences
    }()

    private static let plain: [UInt8: Key] = [
        UInt8(ascii: " "): .togglePause, UInt8(ascii: "["): .slower, UInt8(ascii: "]"): .faster,
        UInt8(ascii: "m"): .toggleMute, UInt8(ascii: "9"): .quieter, UInt8(ascii: "0"): .louder,
        UInt8(ascii: "l"): .toggleLoop, UInt8(ascii: "."): .stepOn, UInt8(ascii: ","): .stepBack,
        UInt8(ascii: "<"): .previousInput, UInt8(ascii: ">"): .nextInput, UInt8(ascii: "?"): .help,
        UInt8(ascii: "s"): .snapshot, UInt8(ascii: "f"): .toggleFullscreen, UInt8(ascii: "q"): .quit,
    ]
}

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
