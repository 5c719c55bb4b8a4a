/// The schemes of URLs in text that may also be a path.
package enum URLScheme {
    /// Returns the scheme of a URL in lower case: "https" for "https://host", "rtmp" for "rtmp:name". Returns nil for
    /// a path, including one with a colon after a slash, and for a scheme of one letter.
    package static func of(_ text: String) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = text.utf8[..<colon]
        guard name.count > 1, let first = name.first, isLetter(first), name.allSatisfy(isSchemeByte) else {
            return nil
        }
        return text[..<colon].lowercased()
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// RFC 3986, section 3.1: letters, digits, "+", "-" and ".".
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
    }
}
