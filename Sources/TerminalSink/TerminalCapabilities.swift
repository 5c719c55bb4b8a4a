/// What a terminal can do, as far as the environment tells. It is not asked: its answer would come among the keys, and
/// through tmux it would be another terminal's.
package struct TerminalCapabilities: Hashable, Sendable {
    package var graphics: TerminalGraphics
    package var colors: TerminalColors
    package var symbols: TerminalSymbols

    package init(graphics: TerminalGraphics, colors: TerminalColors, symbols: TerminalSymbols) {
        self.graphics = graphics
        self.colors = colors
        self.symbols = symbols
    }

    /// nil: there is no terminal that could place its cursor. `requested` overrides what is found.
    package init?(environment: [String: String], requested: TerminalGraphics? = nil) {
        let terminal = TerminalEnvironment(environment)
        guard !terminal.term.isEmpty, terminal.term != "dumb" else { return nil }
        // NO_COLOR asks for none wherever nothing else was asked for.
        let isPlain = requested == nil && !terminal["NO_COLOR"].isEmpty
        graphics = requested ?? (isPlain ? .symbols : terminal.graphics)
        colors = isPlain ? .none : terminal.colors
        symbols = terminal.symbols
    }
}

private struct TerminalEnvironment {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    subscript(name: String) -> String { environment[name] ?? "" }

    var term: String { self["TERM"] }
    private var program: String { self["TERM_PROGRAM"] }

    /// What is behind tmux or screen cannot be reached, though the environment may still name it.
    private var isMultiplexed: Bool {
        !self["TMUX"].isEmpty || !self["STY"].isEmpty || isTerm("tmux", "screen")
    }

    /// "foot", and "foot-direct" too.
    private func isTerm(_ names: String...) -> Bool {
        names.contains { term == $0 || term.hasPrefix($0 + "-") || term.hasPrefix($0 + ".") }
    }

    var graphics: TerminalGraphics {
        if isMultiplexed { return .symbols }
        if isTerm("xterm-kitty", "xterm-ghostty") || !self["KITTY_WINDOW_ID"].isEmpty { return .kitty }
        if program == "ghostty" { return .kitty }
        if program == "iTerm.app" || self["LC_TERMINAL"] == "iTerm2" { return .iterm }
        if program == "WezTerm" || isTerm("foot", "mlterm", "yaft") { return .sixel }
        if (Int(self["KONSOLE_VERSION"]) ?? 0) >= 220_400 { return .sixel }
        return .symbols
    }

    var colors: TerminalColors {
        let word = self["COLORTERM"].lowercased()
        if word == "truecolor" || word == "24bit" || term.hasSuffix("-direct") { return .trueColor }
        if isMultiplexed { return .of256 }
        if isTerm("xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm", "contour", "mlterm") {
            return .trueColor
        }
        if ["iTerm.app", "WezTerm", "ghostty", "mintty", "contour"].contains(program) { return .trueColor }
        if !self["KONSOLE_VERSION"].isEmpty || !self["WT_SESSION"].isEmpty { return .trueColor }
        if (Int(self["VTE_VERSION"]) ?? 0) >= 3600 { return .trueColor }
        if term.contains("256") || isTerm("xterm", "rxvt", "yaft") { return .of256 }
        if term.hasPrefix("vt") || term.hasSuffix("-mono") || term.hasSuffix("-m") { return .none }
        return .of16
    }

    var symbols: TerminalSymbols {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map { self[$0] }.first { !$0.isEmpty } ?? "UTF-8"
        let charset = locale.lowercased().filter(\.isLetter)
        // A container names no locale, and its terminal is one of today.
        guard charset.contains("utf") else { return .ascii }
        return term.hasPrefix("linux") ? .halves : .blocks
    }
}
