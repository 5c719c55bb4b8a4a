/// Takes secrets out of words that users and logs get to see.
enum Redaction {
    /// Replaces "user:password@" and everything behind "?" in whatever looks like a URL, and trailing white
    /// space.
    static func redact(_ text: String) -> String {
        var words: [Substring] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            words.append(redactWord(word))
        }
        var line = words.joined(separator: " ")
        while let last = line.last, last.isWhitespace { line.removeLast() }
        return line
    }

    private static func redactWord(_ word: Substring) -> Substring {
        guard let scheme = word.firstRange(of: "://") else { return word }
        var rest = word[scheme.upperBound...]
        if let query = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) { rest = rest[..<query] }
        let authorityEnd = rest.firstIndex(of: "/") ?? rest.endIndex
        if let at = rest[..<authorityEnd].lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        return word[..<scheme.upperBound] + rest
    }
}
