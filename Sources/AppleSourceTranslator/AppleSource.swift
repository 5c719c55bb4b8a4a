#if AppleSources
/// A Swift file that is written for Apple's platforms.
public struct AppleSource: Sendable {
    /// The path, which the compiler's messages about the translation name.
    public let path: String
    /// The contents.
    public let text: String

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - text: The contents.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}
#endif
