import MediaCore

/// The capabilities of a terminal, as far as the environment declares them.
///
/// The terminal is not queried: its response would arrive between the keys and, through tmux, come from another
/// terminal.
package struct TerminalCapabilities: Hashable, Sendable {
    package var graphics: TerminalGraphics
    package var colors: TerminalColors
    package var symbols: TerminalSymbols

    /// Determines the capabilities from the environment.
    ///
    /// Returns nil if there is no terminal that can position its cursor.
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - requested: The graphics to use instead of the detected ones.
    package init?(environment: [String: String], requested: TerminalGraphics? = nil) {
        let terminal = TerminalEnvironment(environment)
        guard !terminal.term.isEmpty, terminal.term != "dumb" else { return nil }
        // NO_COLOR disables colors unless the caller requested something else.
        let isPlain = requested == nil && !terminal["NO_COLOR"].isEmpty
        graphics = requested ?? (isPlain ? .symbols : terminal.graphics)
        colors = isPlain ? .none : terminal.colors
        symbols = terminal.symbols
    }

    /// Returns the error for an environment without a terminal that can position its cursor.
    static func missing(_ environment: [String: String]) -> PlaybackError {
        let type = environment["TERM"].flatMap { $0.isEmpty ? nil : "TERM is \($0)" } ?? "TERM is not set"
        return PlaybackError(
            code: .displayUnavailable,
            message: "the terminal cannot position its cursor: \(type)"
        )
    }
}

private struct TerminalEnvironment {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    subscript(name: String) -> String { environment[name] ?? "" }

    var term: String { self["TERM"] }
    private var program: String { self["TERM_PROGRAM"] }

    /// Whether the terminal is that of tmux or screen. The terminal outside cannot be reached, although the
    /// environment may still name it.
    private var isMultiplexed: Bool {
        !self["TMUX"].isEmpty || !self["STY"].isEmpty || isTerm("tmux", "screen")
    }

    /// Returns whether `TERM` is one of the names or a variant of it: "foot", and also "foot-direct".
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
        // Containers often declare no locale, and their terminal supports UTF-8.
        guard charset.contains("utf") else { return .ascii }
        return term.hasPrefix("linux") ? .halves : .blocks
    }
}
