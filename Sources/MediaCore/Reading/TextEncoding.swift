internal import Glibc

/// An encoding of text that the system can convert (iconv). All members may be used on any thread.
package struct TextEncoding: Sendable {
    private let name: String

    /// Creates an encoding. Returns nil if the system has none of this name, such as "CP1251" or "SHIFT_JIS".
    package init?(_ name: String) {
        guard let converter = Self.makeConverter(name) else { return nil }
        iconv_close(converter)
        self.name = name
    }

    /// Converts text to UTF-8. Each byte that is invalid becomes U+FFFD.
    package func utf8(_ bytes: [UInt8]) -> [UInt8] {
        guard let converter = Self.makeConverter(name) else { return bytes }
        defer { iconv_close(converter) }
        var text: [UInt8] = []
        var input = bytes
        var output = [UInt8](repeating: 0, count: 4096)
        input.withUnsafeMutableBytes { input in
            output.withUnsafeMutableBytes { output in
                var next = input.baseAddress?.assumingMemoryBound(to: CChar.self)
                var rest = input.count
                var isComplete = false
                while !isComplete {
                    // The last call returns a character that the converter has kept to combine it with the next one.
                    isComplete = rest == 0
                    var end = output.baseAddress?.assumingMemoryBound(to: CChar.self)
                    var room = output.count
                    let result =
                        isComplete
                        ? iconv(converter, nil, nil, &end, &room)
                        : iconv(converter, &next, &rest, &end, &room)
                    let isInvalid = result == -1 && errno != E2BIG
                    text += output.prefix(output.count - room)
                    if isInvalid, rest > 0 {
                        text += "\u{FFFD}".utf8
                        next = next.map { $0 + 1 }
                        rest -= 1
                    }
                }
            }
        }
        return text
    }

    private static func makeConverter(_ name: String) -> iconv_t? {
        let converter = iconv_open("UTF-8", name)
        return converter == iconv_t(bitPattern: -1) ? nil : converter
    }
}
