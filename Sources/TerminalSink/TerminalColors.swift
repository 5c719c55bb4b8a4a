/// How many colours characters have.
package enum TerminalColors: Hashable, Sendable {
    case trueColor, of256, of16, none
}
