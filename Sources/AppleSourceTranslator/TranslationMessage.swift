#if AppleSources
/// A message of the translator about a position in a file.
public struct TranslationMessage: Sendable, Equatable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// The line, beginning with 1.
    public let line: Int
    /// The column in bytes, beginning with 1.
    public let column: Int
    /// The text, which names what cannot be translated and what to write instead.
    public let text: String

    /// The message in the form of the compiler's errors.
    public var description: String { "\(path):\(line):\(column): error: \(text)" }
}
#endif
