import TerminalSink
import Testing

@Suite("What a terminal can do, by its environment")
struct TerminalAbilitiesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let environment: [String: String]
        let pictures: TerminalPictures
        let colors: TerminalColors
        var symbols = TerminalSymbols.blocks
        var testDescription: String { environment.map { "\($0)=\($1)" }.sorted().joined(separator: " ") }
    }

    static let rows: [Row] = [
        Row(environment: ["TERM": "xterm"], pictures: .symbols, colors: .of256),
        Row(environment: ["TERM": "xterm-256color"], pictures: .symbols, colors: .of256),
        Row(
            environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"],
            pictures: .symbols,
            colors: .trueColor
        ),
        Row(environment: ["TERM": "xterm", "COLORTERM": "24bit"], pictures: .symbols, colors: .trueColor),
        Row(environment: ["TERM": "xterm-direct"], pictures: .symbols, colors: .trueColor),
        Row(
            environment: ["TERM": "xterm-256color", "VTE_VERSION": "7006"],
            pictures: .symbols,
            colors: .trueColor
        ),
        Row(
            environment: ["TERM": "xterm-256color", "VTE_VERSION": "3409"],
            pictures: .symbols,
            colors: .of256
        ),
        Row(
            environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"],
            pictures: .symbols,
            colors: .of256
        ),
        Row(
            environment: ["TERM": "xterm-256color", "WT_SESSION": "5"],
            pictures: .symbols,
            colors: .trueColor
        ),
        Row(environment: ["TERM": "xterm-kitty"], pictures: .kitty, colors: .trueColor),
        Row(
            environment: ["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1", "COLORTERM": "truecolor"],
            pictures: .kitty,
            colors: .trueColor
        ),
        Row(
            environment: ["TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"],
            pictures: .kitty,
            colors: .trueColor
        ),
        Row(
            environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"],
            pictures: .iterm,
            colors: .trueColor
        ),
        // Through ssh.
        Row(
            environment: ["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"],
            pictures: .iterm,
            colors: .of256
        ),
        Row(
            environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"],
            pictures: .sixel,
            colors: .trueColor
        ),
        Row(environment: ["TERM": "foot"], pictures: .sixel, colors: .trueColor),
        Row(environment: ["TERM": "foot-extra"], pictures: .sixel, colors: .trueColor),
        Row(environment: ["TERM": "footnote-256color"], pictures: .symbols, colors: .of256),
        Row(environment: ["TERM": "mlterm"], pictures: .sixel, colors: .trueColor),
        Row(
            environment: ["TERM": "xterm-256color", "KONSOLE_VERSION": "220400"],
            pictures: .sixel,
            colors: .trueColor
        ),
        Row(
            environment: ["TERM": "xterm-256color", "KONSOLE_VERSION": "211202"],
            pictures: .symbols,
            colors: .trueColor
        ),
        // In tmux and screen nothing but characters comes through, whatever is outside.
        Row(
            environment: ["TERM": "tmux-256color", "TMUX": "/tmp/t,1,0", "KITTY_WINDOW_ID": "1"],
            pictures: .symbols,
            colors: .of256
        ),
        Row(
            environment: ["TERM": "xterm-kitty", "TMUX": "/tmp/t,1,0", "COLORTERM": "truecolor"],
            pictures: .symbols,
            colors: .trueColor
        ),
        Row(environment: ["TERM": "screen", "LC_TERMINAL": "iTerm2"], pictures: .symbols, colors: .of256),
        Row(environment: ["TERM": "screen.xterm-256color"], pictures: .symbols, colors: .of256),
        Row(environment: ["TERM": "xterm", "STY": "4.pts-0"], pictures: .symbols, colors: .of256),
        Row(environment: ["TERM": "linux"], pictures: .symbols, colors: .of16, symbols: .halves),
        Row(environment: ["TERM": "ansi"], pictures: .symbols, colors: .of16),
        Row(environment: ["TERM": "vt220"], pictures: .symbols, colors: .none),
        Row(environment: ["TERM": "xterm-mono"], pictures: .symbols, colors: .of256),
        Row(environment: ["TERM": "xterm-kitty", "NO_COLOR": "1"], pictures: .symbols, colors: .none),
        Row(environment: ["TERM": "xterm-kitty", "NO_COLOR": ""], pictures: .kitty, colors: .trueColor),
        Row(environment: ["TERM": "xterm", "LANG": "de_DE.UTF-8"], pictures: .symbols, colors: .of256),
        Row(environment: ["TERM": "xterm", "LANG": "C.utf8"], pictures: .symbols, colors: .of256),
        Row(
            environment: ["TERM": "xterm", "LANG": "C"],
            pictures: .symbols,
            colors: .of256,
            symbols: .ascii
        ),
        Row(
            environment: ["TERM": "xterm", "LC_ALL": "de_DE@euro", "LANG": "de_DE.UTF-8"],
            pictures: .symbols,
            colors: .of256,
            symbols: .ascii
        ),
    ]

    @Test(arguments: rows)
    func found(row: Row) throws {
        let abilities = try #require(TerminalAbilities(environment: row.environment))
        #expect(abilities.pictures == row.pictures)
        #expect(abilities.colors == row.colors)
        #expect(abilities.symbols == row.symbols)
    }

    @Test("A wish is stronger than what is found, and than NO_COLOR")
    func wishes() throws {
        let environment = ["TERM": "xterm-256color", "TMUX": "x", "NO_COLOR": "1"]
        for wish in TerminalPictures.allCases {
            let abilities = try #require(TerminalAbilities(environment: environment, wish: wish))
            #expect(abilities.pictures == wish)
            #expect(abilities.colors == .of256)
        }
    }

    @Test(arguments: [[:], ["TERM": ""], ["TERM": "dumb", "COLORTERM": "truecolor"]])
    func noTerminal(environment: [String: String]) {
        #expect(TerminalAbilities(environment: environment) == nil)
    }
}
