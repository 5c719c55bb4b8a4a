/// The number of colors of a terminal's characters.
package enum TerminalColors: Hashable, Sendable {
    case trueColor, of256, of16, none
}
