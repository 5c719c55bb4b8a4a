/// Status and headers of an answer, as far as they say what its body is.
struct ResponseHead: Hashable, Sendable {
    /// `Content-Range: bytes first-last/total`, and `bytes */total`.
    struct ContentRange: Hashable, Sendable {
        var first: Int64?
        var last: Int64?
        var total: Int64?
    }

    /// All header lines of an answer together may have so many bytes.
    static let byteLimit = 64 << 10
    /// No resource is as long as this: what claims to be says nothing, and places can be added without overflow.
    static let lengthLimit: Int64 = 1 << 60

    var status = 0
    var contentLength: Int64?
    var contentRange: ContentRange?
    var contentEncoding: String?
    var acceptsRanges = false
    var entityTag: String?
    var lastModified: String?
    /// When the server answered.
    var date: String?
    /// `Cache-Control: no-store`.
    var noStore = false
    var retryAfter: String?
    var location: String?

    /// One line without its end. A status line begins anew: what came before it was an interim answer.
    mutating func parse(_ line: Substring) {
        if line.hasPrefix("HTTP/") {
            self = ResponseHead()
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return
        }
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...].trimmed
        switch line[..<colon].lowercased() {
        case "content-length": contentLength = Int64(value).flatMap { 0..<Self.lengthLimit ~= $0 ? $0 : nil }
        case "content-range": contentRange = Self.range(value)
        case "content-encoding": contentEncoding = value.lowercased()
        case "accept-ranges": acceptsRanges = value.lowercased().contains("bytes")
        case "etag": entityTag = String(value)
        case "last-modified": lastModified = String(value)
        case "date": date = String(value)
        case "cache-control":
            let directives = value.lowercased().split(separator: ",").map { $0[...].trimmed }
            if directives.contains("no-store") { noStore = true }
        case "retry-after": retryAfter = String(value)
        case "location": location = String(value)
        default: break
        }
    }

    /// The body is what the resource holds, byte for byte.
    var isPlain: Bool { contentEncoding.map { $0.isEmpty || $0 == "identity" } ?? true }

    /// For `If-Range`, which takes no weak tags.
    var validator: String? { Self.validator(entityTag, lastModified) }

    static func validator(_ entityTag: String?, _ lastModified: String?) -> String? {
        if let entityTag, !entityTag.hasPrefix("W/") { return entityTag }
        return lastModified
    }

    private static func range(_ value: Substring) -> ContentRange? {
        guard value.lowercased().hasPrefix("bytes") else { return nil }
        let parts = value.dropFirst(5).trimmed.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        var range = ContentRange()
        if parts[1].trimmed != "*" {
            guard let total = Int64(parts[1].trimmed), 0..<lengthLimit ~= total else { return nil }
            range.total = total
        }
        if parts[0].trimmed == "*" { return range }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0].trimmed), let last = Int64(ends[1].trimmed),
            first >= 0,
            last >= first, last < lengthLimit, range.total.map({ last < $0 }) ?? true
        else { return nil }
        range.first = first
        range.last = last
        return range
    }
}

extension Substring {
    /// Without blanks at both ends.
    fileprivate var trimmed: Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var result = drop(while: isBlank)
        while let last = result.last, isBlank(last) { result.removeLast() }
        return result
    }
}
