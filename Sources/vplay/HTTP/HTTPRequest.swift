/// A request without a body. The parser is strict: what RFC 9112 lets a server accept for old clients is refused.
struct HTTPRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
    }

    /// The largest number of bytes of the request line and the fields.
    static let maximumHeadLength = 8192

    let method: Method
    /// The path, decoded.
    let path: String
    /// The query, decoded.
    let query: [(name: String, value: String)]
    /// The fields by their names in lower case. A name occurs once.
    let fields: [String: String]
    let keepsConnection: Bool

    subscript(_ name: String) -> String? { fields[name] }
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Parses a request.
    ///
    /// - Parameters:
    ///   - bytes: What was received.
    ///   - start: The index at which the request begins.
    /// - Returns: The request and the index after it, or nil if more bytes are needed.
    /// - Throws: The status to answer with, after which the connection is closed.
    static func parse(_ bytes: [UInt8], from start: Int = 0) throws(HTTPStatus) -> (
        request: HTTPRequest, end: Int
    )? {
        let end = endOfHead(bytes, from: start)
        guard (end ?? bytes.count) - start <= maximumHeadLength else { throw .headTooLarge }
        guard let end else { return nil }
        guard let head = String(validating: bytes[start..<(end - 4)], as: UTF8.self) else {
            throw .badRequest
        }
        return (try HTTPRequest(head: head), end)
    }

    /// Returns the index after the empty line that ends a head, or nil.
    private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
        let last = min(bytes.count, start + maximumHeadLength + 4) - 4
        guard last >= start else { return nil }
        let first = (start...last).first { index in
            bytes[index] == 13 && bytes[index..<(index + 4)].elementsEqual([13, 10, 13, 10])
        }
        return first.map { $0 + 4 }
    }

    private init(head: String) throws(HTTPStatus) {
        // A carriage return and a line feed are one character.
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let hasControls = lines.contains { line in
            line.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }
        }
        guard !hasControls else { throw .badRequest }
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { throw .badRequest }
        guard words[2].hasPrefix("HTTP/") else { throw .badRequest }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { throw .versionNotSupported }
        let fields = try Self.fields(lines.dropFirst())
        guard let method = Method(rawValue: String(words[0])) else { throw .methodNotAllowed }
        guard fields["transfer-encoding"] == nil else { throw .notImplemented }
        // There is nothing to send: a body is refused, so that it is never taken for the next request.
        if let length = fields["content-length"], length != "0" {
            throw length.allSatisfy { $0.isASCII && $0.isNumber } && !length.isEmpty
                ? .contentTooLarge : .badRequest
        }
        let isCurrent = words[2] == "HTTP/1.1"
        guard !isCurrent || fields["host"] != nil else { throw .badRequest }
        let options = (fields["connection"] ?? "").lowercased()
        self.method = method
        self.fields = fields
        keepsConnection = isCurrent ? !options.contains("close") : options.contains("keep-alive")
        (path, query) = try Self.target(words[1])
    }

    private static func fields(_ lines: ArraySlice<Substring>) throws(HTTPStatus) -> [String: String] {
        var fields: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
                line[..<colon].unicodeScalars.allSatisfy({ isToken($0) })
            else { throw .badRequest }
            let name = line[..<colon].lowercased()
            let value = String(line[line.index(after: colon)...]).trimmed
            if let other = fields[name] {
                // Fields on which security depends must not differ between two readers.
                guard !["host", "content-length", "authorization", "origin", "sec-fetch-site"].contains(name)
                else {
                    throw .badRequest
                }
                fields[name] = other + ", " + value
            } else {
                fields[name] = value
            }
        }
        return fields
    }

    private static func isToken(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar)
        }
    }

    private static func target(_ text: Substring) throws(HTTPStatus) -> (
        String, [(name: String, value: String)]
    ) {
        guard text.hasPrefix("/"), !text.contains("#") else { throw .badRequest }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var query: [(name: String, value: String)] = []
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count > 1 ? try decode(halves[1], isQuery: true) : ""
            query.append((try decode(halves[0], isQuery: true), value))
        }
        return (try decode(parts[0], isQuery: false), query)
    }

    /// Decodes percent-encoded UTF-8 text without control characters.
    private static func decode(_ text: Substring, isQuery: Bool) throws(HTTPStatus) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
                else {
                    throw .badRequest
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(isQuery && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { throw .badRequest }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension String {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
