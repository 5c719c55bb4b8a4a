extension StringProtocol {
    /// The text without white space, spaces without width and byte-order marks at both ends.
    package var trimmed: String {
        let isBlank = { (scalar: Unicode.Scalar) in
            scalar.properties.isWhitespace || scalar == "\u{200B}" || scalar == "\u{FEFF}"
        }
        guard let first = unicodeScalars.firstIndex(where: { !isBlank($0) }),
            let last = unicodeScalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(String.UnicodeScalarView(unicodeScalars[first...last]))
    }
}
