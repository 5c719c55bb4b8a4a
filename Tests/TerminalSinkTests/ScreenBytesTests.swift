import TerminalSink
import Testing

@Suite("Terminal output")
struct ScreenBytesTests {
    private func update(
        _ image: String?,
        clears: Bool = false,
        status: String? = nil
    ) -> String {
        let place = TerminalGeometry.CellRect(column: 3, row: 2, columns: 4, rows: 2)
        let bytes = Array((image ?? "").utf8).withUnsafeBytes { bytes in
            ScreenBytes.update(
                clears: clears,
                image: image == nil ? nil : (bytes, place),
                status: status.map { ($0, 24) }
            )
        }
        return String(decoding: bytes, as: UTF8.self).replacing("\u{1B}", with: "^")
    }

    @Test("Each row is written at its position, within one synchronized update")
    func rows() {
        #expect(update("ab\ncd") == "^[?2026h^[2;3Hab^[3;3Hcd^[?2026l")
        #expect(update("ab", clears: true, status: "x") == "^[?2026h^[0m^[2J^[2;3Hab^[24;1H^[0mx^[K^[?2026l")
        #expect(update(nil, status: "x") == "^[?2026h^[24;1H^[0mx^[K^[?2026l")
    }

    @Test("Control characters are removed from the status line")
    func controls() {
        #expect(
            update(nil, status: "a\r\n\u{1B}[2Jb\u{9B}c\u{7F}ü") == "^[?2026h^[24;1H^[0ma[2Jbcü^[K^[?2026l"
        )
    }

    @Test("Leaving ends strings and updates first, and the alternate screen last")
    func leaving() {
        let bytes = ScreenBytes.leave(.symbols, rows: 24)
        let text = String(decoding: bytes, as: UTF8.self).replacing("\u{1B}", with: "^")
        #expect(text == "^\\^[?2026l^[0m^[24;1H^[K^[?25h^[?1049l")
        let kitty = String(decoding: ScreenBytes.leave(.kitty, rows: 24), as: UTF8.self)
        #expect(kitty.contains("\u{1B}_Ga=d,d=I,i="))
    }
}
