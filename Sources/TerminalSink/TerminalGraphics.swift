/// The method by which frames are drawn on a terminal.
public enum TerminalGraphics: String, Hashable, Sendable, CaseIterable {
    /// Pixels, by kitty's graphics protocol.
    case kitty
    /// Pixels, by iTerm2's inline images protocol.
    case iterm
    /// Pixels, by DEC's sixel format.
    case sixel
    /// Characters with a foreground and a background color, which every terminal supports.
    case symbols
}
