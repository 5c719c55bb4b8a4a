/// Removes the secrets of URLs from text that is shown to users or written to logs.
///
/// Secrets are credentials, query strings, which may contain access tokens, and fragments.
package enum Redaction {
    /// Returns `text` without the credentials, query string and fragment of every URL in it, and without trailing white
    /// space.
    package static func redact(_ text: String) -> String {
        var words: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            words.append(redactWord(word))
        }
        var line = words.joined(separator: " ")
        while let last = line.last, last.isWhitespace { line.removeLast() }
        return line
    }

    /// Returns the name of a resource for messages: a URL without credentials, query string and fragment, or a path
    /// or the URL of a local file unchanged.
    package static func location(_ location: String) -> String {
        var rest = location[...]
        // A scheme may precede a URL, as in "cache:http://host".
        while let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")),
            rest[..<colon].utf8.allSatisfy(isSchemeByte)
        {
            if rest[colon...].hasPrefix("://") { return redactWord(location[...]) }
            rest = rest[colon...].dropFirst()
        }
        return location
    }

    /// The path of a URL may contain other URLs, in any number: each part of the word is examined once.
    private static func redactWord(_ word: Substring) -> String {
        var result = ""
        var rest = word
        while let scheme = rest.firstRange(of: "://") {
            // The path of a local file can contain "?" and "#".
            if rest[scheme.upperBound...].first == "/",
                rest[..<scheme.lowerBound].lowercased().hasSuffix("file")
            {
                break
            }
            let isFirst = result.isEmpty
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            if let end = endOfUnencodedCredentials(rest) { rest = rest[end...] }
            // The URLs within it have no other query string.
            if isFirst, let query = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) {
                rest = rest[..<query]
            }
            let authorityEnd = rest.firstIndex(of: "/") ?? rest.endIndex
            if let at = rest[..<authorityEnd].lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        }
        return result + rest
    }

    /// Returns the end of credentials in which "/", "?" or "#" is not percent-encoded, which ends the authority too early: what
    /// follows its colon is no port, and an "@" comes later. Nil if there are none.
    private static func endOfUnencodedCredentials(_ rest: Substring) -> Substring.Index? {
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@"), authority.first != "[", let colon = authority.firstIndex(of: ":"),
            authority[colon...].dropFirst().contains(where: { !$0.isASCII || !$0.isNumber })
        else { return nil }
        // The next URL within the path has credentials of its own.
        let next = rest.firstRange(of: "://")?.lowerBound ?? rest.endIndex
        return rest[..<next].lastIndex(of: "@").map { rest.index(after: $0) }
    }

    /// RFC 3986, section 3.1: letters, digits, "+", "-" and ".".
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }
}
