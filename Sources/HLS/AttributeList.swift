/// The attribute list of a tag (RFC 8216, section 4.2), such as `BANDWIDTH=1280000,CODECS="avc1.4d401f,mp4a.40.2"`.
///
/// Accepts any text. Attributes that cannot be parsed are ignored.
struct AttributeList {
    private var values: [Substring: Substring] = [:]

    /// Parses the text after the colon of a tag.
    init(_ text: Substring) {
        var rest = text.utf8[...]
        let (comma, equals, quote) = (UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "\""))
        while !rest.isEmpty {
            guard let sign = rest.firstIndex(of: equals) else { return }
            let name = Substring(rest[..<sign]).drop { $0 == " " || $0 == "," }
            rest = rest[rest.index(after: sign)...]
            let value: Substring.UTF8View
            if rest.first == quote {
                rest = rest.dropFirst()
                let end = rest.firstIndex(of: quote) ?? rest.endIndex
                value = rest[..<end]
                rest = rest[end...]
                rest = rest[(rest.firstIndex(of: comma) ?? rest.endIndex)...]
            } else {
                let end = rest.firstIndex(of: comma) ?? rest.endIndex
                value = rest[..<end]
                rest = rest[end...]
            }
            rest = rest.dropFirst()
            values[name] = Substring(value)
        }
    }

    /// Returns the value of an attribute, or nil if it is missing or empty.
    func text(_ name: Substring) -> String? {
        guard let value = values[name], !value.isEmpty else { return nil }
        return String(value)
    }

    /// Returns a decimal integer, or nil if the value is not one.
    func number(_ name: Substring) -> Int64? { values[name].flatMap { Int64($0) } }

    /// Returns a finite decimal number, or nil if the value is not one.
    func real(_ name: Substring) -> Double? {
        values[name].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns true if the value is the enumerated string YES.
    func isYes(_ name: Substring) -> Bool { values[name] == "YES" }

    /// Returns a decimal resolution such as "640x360".
    func size(_ name: Substring) -> (width: Int, height: Int)? {
        let parts = (values[name] ?? "").split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...65_536).contains(width), (1...65_536).contains(height)
        else { return nil }
        return (width, height)
    }

    /// Returns 16 bytes of a hexadecimal sequence: "0x" and up to 32 digits, most significant first. Fewer digits are
    /// padded with leading zeros. Returns nil for any other text.
    func block(_ name: Substring) -> [UInt8]? {
        guard let text = values[name], text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
        let digits = text.dropFirst(2)
        guard (1...32).contains(digits.utf8.count) else { return nil }
        let whole = String(repeating: "0", count: 32 - digits.utf8.count) + digits
        var bytes: [UInt8] = []
        var rest = whole[...]
        while !rest.isEmpty {
            guard rest.first != "+", let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
