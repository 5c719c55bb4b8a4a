extension Key {
    /// Creates the action of a key on the terminal; nil if it has none.
    init?(_ stroke: KeyStrokes.Stroke) {
        let key: Key? =
            switch stroke {
            case .byte(let byte): Self.plain[byte]
            case .escape: .quit
            case .sequence(let sequence): Self.sequences[sequence]
            }
        guard let key else { return nil }
        self = key
    }

    /// Returns the actions in the bytes of one read.
    static func parse(_ bytes: [UInt8]) -> [Key] {
        var strokes = KeyStrokes()
        return strokes.parse(bytes).compactMap(Key.init)
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
        UInt8(ascii: " "): .togglePause, UInt8(ascii: "p"): .togglePause, UInt8(ascii: "["): .slower,
        UInt8(ascii: "]"): .faster,
        UInt8(ascii: "m"): .toggleMute, UInt8(ascii: "9"): .quieter, UInt8(ascii: "0"): .louder,
        UInt8(ascii: "l"): .toggleLoop, UInt8(ascii: "."): .stepForward, UInt8(ascii: ","): .stepBack,
        UInt8(ascii: "<"): .previousInput, UInt8(ascii: ">"): .nextInput, UInt8(ascii: "?"): .help,
        UInt8(ascii: "s"): .snapshot, UInt8(ascii: "f"): .toggleFullscreen, UInt8(ascii: "q"): .quit,
    ]
}
