/// Parses the bytes of a terminal into key actions.
struct KeyParser: Sendable {
    private var strokes = KeyStrokes()

    /// True if the last byte is an escape, which is either the Escape key or the beginning of a sequence.
    var endsWithEscape: Bool { strokes.endsWithEscape }

    /// Discards an incomplete sequence. Bytes that arrive long after it do not belong to it.
    mutating func discardPending() { strokes.discardPending() }

    /// Returns the action of the Escape key if the last byte is an escape that no sequence has followed.
    mutating func parseLoneEscape() -> Key? {
        guard endsWithEscape else { return nil }
        discardPending()
        return .quit
    }

    /// Appends bytes and returns the actions of all complete keys.
    mutating func parse(_ bytes: [UInt8]) -> [Key] {
        strokes.parse(bytes).compactMap { stroke in
            switch stroke {
            case .byte(let byte): Self.plain[byte]
            case .sequence(let sequence): Self.sequences[sequence]
            }
        }
    }

    /// The escape sequences without the escape.
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
        UInt8(ascii: "l"): .toggleLoop, UInt8(ascii: "."): .stepForward, UInt8(ascii: ","): .stepBack,
        UInt8(ascii: "<"): .previousInput, UInt8(ascii: ">"): .nextInput, UInt8(ascii: "?"): .help,
        UInt8(ascii: "s"): .snapshot, UInt8(ascii: "f"): .toggleFullscreen, UInt8(ascii: "q"): .quit,
    ]
}
