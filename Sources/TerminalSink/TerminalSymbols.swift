/// The characters that frames are drawn with.
package enum TerminalSymbols: Hashable, Sendable {
    /// Unicode's block elements.
    case blocks
    /// Half blocks and shades, which the fonts of the Linux console contain.
    case halves
    /// ASCII characters.
    case ascii
}
