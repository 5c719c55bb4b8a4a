import TerminalSink
import Testing

@Suite("Terminal capabilities by environment")
struct TerminalCapabilitiesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let environment: [String: String]
        let graphics: TerminalGraphics
        let colors: TerminalColors
        var symbols = TerminalSymbols.blocks
        var testDescription: String { environment.map { "\($0)=\($1)" }.sorted().joined(separator: " ") }
    }

    static let rows: [Row] = [
        Row(environment: ["TERM": "xterm"], graphics: .symbols, colors: .of256),
        Row(environment: ["TERM": "xterm-256color"], graphics: .symbols, colors: .of256),
        Row(
            environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"],
            graphics: .symbols,
            colors: .trueColor
        ),
        Row(environment: ["TERM": "xterm", "COLORTERM": "24bit"], graphics: .symbols, colors: .trueColor),
        Row(environment: ["TERM": "xterm-direct"], graphics: .symbols, colors: .trueColor),
        Row(
            environment: ["TERM": "xterm-256color", "VTE_VERSION": "7006"],
            graphics: .symbols,
            colors: .trueColor
        ),
        Row(
            environment: ["TERM": "xterm-256color", "VTE_VERSION": "3409"],
            graphics: .symbols,
            colors: .of256
        ),
        Row(
            environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"],
            graphics: .symbols,
            colors: .of256
        ),
        Row(
            environment: ["TERM": "xterm-256color", "WT_SESSION": "5"],
            graphics: .symbols,
            colors: .trueColor
        ),
        Row(environment: ["TERM": "xterm-kitty"], graphics: .kitty, colors: .trueColor),
        Row(
            environment: ["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1", "COLORTERM": "truecolor"],
            graphics: .kitty,
            colors: .trueColor
        ),
        Row(
            environment: ["TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"],
            graphics: .kitty,
            colors: .trueColor
        ),
        Row(
            environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"],
            graphics: .iterm,
            colors: .trueColor
        ),
        // Over ssh.
        Row(
            environment: ["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"],
            graphics: .iterm,
            colors: .of256
        ),
        Row(
            environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"],
            graphics: .sixel,
            colors: .trueColor
        ),
        Row(environment: ["TERM": "foot"], graphics: .sixel, colors: .trueColor),
        Row(environment: ["TERM": "foot-extra"], graphics: .sixel, colors: .trueColor),
        Row(environment: ["TERM": "footnote-256color"], graphics: .symbols, colors: .of256),
        Row(environment: ["TERM": "mlterm"], graphics: .sixel, colors: .trueColor),
        Row(
            environment: ["TERM": "xterm-256color", "KONSOLE_VERSION": "220400"],
            graphics: .sixel,
            colors: .trueColor
        ),
        Row(
            environment: ["TERM": "xterm-256color", "KONSOLE_VERSION": "211202"],
            graphics: .symbols,
            colors: .trueColor
        ),
        // tmux and screen pass characters only, whatever the terminal outside supports.
        Row(
            environment: ["TERM": "tmux-256color", "TMUX": "/tmp/t,1,0", "KITTY_WINDOW_ID": "1"],
            graphics: .symbols,
            colors: .of256
        ),
        Row(
            environment: ["TERM": "xterm-kitty", "TMUX": "/tmp/t,1,0", "COLORTERM": "truecolor"],
            graphics: .symbols,
            colors: .trueColor
        ),
        Row(environment: ["TERM": "screen", "LC_TERMINAL": "iTerm2"], graphics: .symbols, colors: .of256),
        Row(environment: ["TERM": "screen.xterm-256color"], graphics: .symbols, colors: .of256),
        Row(environment: ["TERM": "xterm", "STY": "4.pts-0"], graphics: .symbols, colors: .of256),
        Row(environment: ["TERM": "linux"], graphics: .symbols, colors: .of16, symbols: .halves),
        Row(environment: ["TERM": "ansi"], graphics: .symbols, colors: .of16),
        Row(environment: ["TERM": "vt220"], graphics: .symbols, colors: .none),
        Row(environment: ["TERM": "xterm-mono"], graphics: .symbols, colors: .of256),
        Row(environment: ["TERM": "xterm-kitty", "NO_COLOR": "1"], graphics: .symbols, colors: .none),
        Row(environment: ["TERM": "xterm-kitty", "NO_COLOR": ""], graphics: .kitty, colors: .trueColor),
        Row(environment: ["TERM": "xterm", "LANG": "de_DE.UTF-8"], graphics: .symbols, colors: .of256),
        Row(environment: ["TERM": "xterm", "LANG": "C.utf8"], graphics: .symbols, colors: .of256),
        Row(
            environment: ["TERM": "xterm", "LANG": "C"],
            graphics: .symbols,
            colors: .of256,
            symbols: .ascii
        ),
        Row(
            environment: ["TERM": "xterm", "LC_ALL": "de_DE@euro", "LANG": "de_DE.UTF-8"],
            graphics: .symbols,
            colors: .of256,
            symbols: .ascii
        ),
    ]

    @Test(arguments: rows)
    func found(row: Row) throws {
        let capabilities = try #require(TerminalCapabilities(environment: row.environment))
        #expect(capabilities.graphics == row.graphics)
        #expect(capabilities.colors == row.colors)
        #expect(capabilities.symbols == row.symbols)
    }

    @Test("Requested graphics override detection and NO_COLOR")
    func wishes() throws {
        let environment = ["TERM": "xterm-256color", "TMUX": "x", "NO_COLOR": "1"]
        for requested in TerminalGraphics.allCases {
            let capabilities = try #require(
                TerminalCapabilities(environment: environment, requested: requested)
            )
            #expect(capabilities.graphics == requested)
            #expect(capabilities.colors == .of256)
        }
    }

    @Test(arguments: [[:], ["TERM": ""], ["TERM": "dumb", "COLORTERM": "truecolor"]])
    func noTerminal(environment: [String: String]) {
        #expect(TerminalCapabilities(environment: environment) == nil)
    }
}
