/// The bytes that are written to a terminal. They use sequences that all terminals support (ECMA-48, and xterm's
/// private modes).
package enum ScreenBytes {
    /// The bytes that switch to the alternate screen, clear it and hide the cursor.
    package static let enter = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[0m\u{1B}[2J".utf8)

    /// Returns the bytes that restore the normal screen.
    ///
    /// They may follow any incomplete output: they first end a string and a synchronized update. A terminal without
    /// an alternate screen continues below the frame.
    package static func leave(_ graphics: TerminalGraphics, rows: Int) -> [UInt8] {
        let images = graphics == .kitty ? kittyForget : ""
        let end = "\u{1B}\\\(images)\u{1B}[?2026l\u{1B}[0m\u{1B}[\(rows);1H\u{1B}[K\u{1B}[?25h\u{1B}[?1049l"
        return Array(end.utf8)
    }

    /// The start of an image for the kitty protocol. An image with the same number replaces the previous one. The
    /// terminal must not respond, because the response would be read as keys, and the cursor must not move.
    package static let kittyBegin =
        "\u{1B}_Ga=T,f=%1,s=%2,v=%3,c=%4,r=%5,i=\(kittyImage),p=1,q=2,C=1,m=1\u{1B}\\"
    package static let kittyForget = "\u{1B}_Ga=d,d=I,i=\(kittyImage),q=2\u{1B}\\"
    private static let kittyImage = 7_531

    /// Returns one synchronized update.
    ///
    /// - Parameters:
    ///   - clears: Whether the screen is cleared first.
    ///   - image: Rows of cells, or one image, and the cells to cover.
    ///   - status: The text of the status line and its row.
    package static func update(
        clears: Bool,
        image: (bytes: UnsafeRawBufferPointer, cells: TerminalGeometry.CellRect)?,
        status: (text: String, row: Int)?
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity((image?.bytes.count ?? 0) + (image?.cells.rows ?? 0) * 10 + 256)
        bytes += "\u{1B}[?2026h".utf8
        if clears { bytes += "\u{1B}[0m\u{1B}[2J".utf8 }
        if let image {
            append(image.bytes, at: image.cells, to: &bytes)
        }
        if let status {
            bytes += "\u{1B}[\(status.row);1H\u{1B}[0m".utf8
            bytes += status.text.unicodeScalars.filter { !$0.isControl }.map(String.init).joined().utf8
            bytes += "\u{1B}[K".utf8
        }
        bytes += "\u{1B}[?2026l".utf8
        return bytes
    }

    /// Appends rows of cells, or one image, at a position.
    package static func append(
        _ image: UnsafeRawBufferPointer,
        at cells: TerminalGeometry.CellRect,
        to bytes: inout [UInt8]
    ) {
        var row = cells.row
        for line in image.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            bytes += "\u{1B}[\(row);\(cells.column)H".utf8
            bytes += line
            row += 1
        }
    }
}

extension Unicode.Scalar {
    /// Whether the terminal would execute the character instead of showing it.
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
