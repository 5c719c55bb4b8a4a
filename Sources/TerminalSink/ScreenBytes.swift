/// What is written to a terminal, by the sequences that all of them share (ECMA-48, and xterm's private modes).
package enum ScreenBytes {
    /// The other screen, empty, without a cursor.
    package static let enter = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[0m\u{1B}[2J".utf8)

    /// The screen as it was. It may come in the middle of anything: it ends a string first, and what is half drawn.
    /// A terminal without another screen goes on below the picture.
    package static func leave(_ graphics: TerminalGraphics, rows: Int) -> [UInt8] {
        let images = graphics == .kitty ? kittyForget : ""
        let end = "\u{1B}\\\(images)\u{1B}[?2026l\u{1B}[0m\u{1B}[\(rows);1H\u{1B}[K\u{1B}[?25h\u{1B}[?1049l"
        return Array(end.utf8)
    }

    /// A picture with this number replaces the one before; kitty is not to answer, for that would be read as keys; and
    /// the cursor stays.
    package static let kittyBegin =
        "\u{1B}_Ga=T,f=%1,s=%2,v=%3,c=%4,r=%5,i=\(kittyImage),p=1,q=2,C=1,m=1\u{1B}\\"
    package static let kittyForget = "\u{1B}_Ga=d,d=I,i=\(kittyImage),q=2\u{1B}\\"
    private static let kittyImage = 7_531

    /// One update: what is to be seen at once. `picture`: rows of cells, or one picture, at a place.
    package static func update(
        clears: Bool,
        picture: (bytes: UnsafeRawBufferPointer, place: TerminalGeometry.CellRect)?,
        status: (text: String, row: Int)?
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity((picture?.bytes.count ?? 0) + (picture?.place.rows ?? 0) * 10 + 256)
        bytes += "\u{1B}[?2026h".utf8
        if clears { bytes += "\u{1B}[0m\u{1B}[2J".utf8 }
        if let picture {
            append(picture.bytes, at: picture.place, to: &bytes)
        }
        if let status {
            bytes += "\u{1B}[\(status.row);1H\u{1B}[0m".utf8
            bytes += status.text.unicodeScalars.filter { !$0.isControl }.map(String.init).joined().utf8
            bytes += "\u{1B}[K".utf8
        }
        bytes += "\u{1B}[?2026l".utf8
        return bytes
    }

    /// `picture`: rows of cells, or one picture, moved to its place.
    package static func append(
        _ picture: UnsafeRawBufferPointer,
        at place: TerminalGeometry.CellRect,
        to bytes: inout [UInt8]
    ) {
        var row = place.row
        for line in picture.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            bytes += "\u{1B}[\(row);\(place.column)H".utf8
            bytes += line
            row += 1
        }
    }
}

extension Unicode.Scalar {
    /// It would do something instead of being shown.
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
