import FoundationEssentials

extension URL {
    /// Creates the URL of the file at exactly `path`. Foundation replaces a tilde at the beginning by a home folder,
    /// but the shell, which does the same where the user can expect it, has left this one in the argument.
    init(literalPath path: String) {
        self.init(fileURLWithPath: path.hasPrefix("~") ? "./" + path : path, isDirectory: false)
    }
}
