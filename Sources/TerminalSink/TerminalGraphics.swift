/// How pictures are drawn on a terminal.
public enum TerminalGraphics: String, Hashable, Sendable, CaseIterable {
    /// Pixels, by the protocol of kitty.
    case kitty
    /// Pixels, by the protocol of iTerm2.
    case iterm
    /// Pixels, as DEC's terminals drew them.
    case sixel
    /// Characters with a colour in front and one behind, which every terminal has.
    case symbols
}
