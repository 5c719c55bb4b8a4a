/// What characters are drawn with.
package enum TerminalSymbols: Hashable, Sendable {
    /// Unicode's blocks.
    case blocks
    /// Halves and shades, which the fonts of the Linux console have.
    case halves
    case ascii
}
