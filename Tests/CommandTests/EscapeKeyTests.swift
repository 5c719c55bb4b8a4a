import Testing

@testable import vplay

/// The Escape key on a terminal, which quits.
@Suite("Escape key", .enabled(if: Media.isMade && Terminal.isThere))
struct EscapeKeyTests {
    @Test("A lone escape is the Escape key, and the beginning of a sequence is not")
    func parser() {
        var strokes = KeyStrokes()
        #expect(strokes.parse([0x1B]).isEmpty && strokes.endsWithEscape)
        #expect(strokes.parseLoneEscape().map(Key.init) == .quit)
        #expect(!strokes.endsWithEscape && strokes.parseLoneEscape() == nil)
        #expect(strokes.parse([0x1B, 0x5B]).isEmpty && strokes.parseLoneEscape() == nil)
        #expect(strokes.parse([0x43]).map(Key.init) == [.forward])
    }

    @Test("Escape quits with status 0 and restores the terminal; a sequence in two parts is one key")
    func quits() async throws {
        let outcome = try await Terminal.run(
            """
            while True:
                start('--muted', '--loop', sys.argv[1])
                until('1.0x dropped')
                press(' '); until('paused')
                begin = time.monotonic()
                press('\\x1b'); press('[B')
                # Parts that are further apart may be two keys.
                if time.monotonic() - begin < 0.1: break
                os.kill(child, signal.SIGKILL)
                ends()
            press(' '); until('1.0x dropped')
            press('\\x1b')
            print(ends(), mode())
            """,
            Media.clip
        )
        #expect(outcome.lines == ["0 cooked"], "\(outcome.text) \(outcome.errors)")
    }
}
