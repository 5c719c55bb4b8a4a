/// The status code and the header fields that describe the body of a response.
struct ResponseHead: Hashable, Sendable {
    /// The value of `Content-Range`: `bytes first-last/total` or `bytes */total`.
    struct ContentRange: Hashable, Sendable {
        var first: Int64?
        var last: Int64?
        var total: Int64?
    }

    /// The maximum size of all header lines of a response together.
    static let byteLimit = 64 << 10
    /// The beginning of the status lines of SHOUTcast servers, which are otherwise those of HTTP/1.0.
    static let shoutcastPrefix = "ICY "
    /// The maximum length of a resource. A larger value is ignored, so that offsets can be added without overflow.
    static let lengthLimit: Int64 = 1 << 60

    var status = 0
    var contentLength: Int64?
    var contentRange: ContentRange?
    /// The values of all fields `Content-Encoding` in lower case, as one list.
    var contentEncoding: String?
    /// The media type of `Content-Type` in lower case, without parameters.
    var mediaType: String?
    var acceptsRanges = false
    var entityTag: String?
    var lastModified: String?
    /// The value of `Date`: when the server answered.
    var date: String?
    /// Whether the response has `Cache-Control: no-store`.
    var noStore = false
    var retryAfter: String?
    var location: String?
    /// Whether the response is that of internet radio: its status line is that of SHOUTcast, or it has a field whose
    /// name begins with "icy-", which Icecast servers send.
    var isBroadcast = false

    /// Parses a line without its line break. A status line resets all values, because the earlier lines belong to an
    /// interim response.
    mutating func parse(_ line: Substring) {
        if line.hasPrefix("HTTP/") || line.hasPrefix(Self.shoutcastPrefix) {
            self = ResponseHead()
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            isBroadcast = line.hasPrefix(Self.shoutcastPrefix)
            return
        }
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...].trimmed
        let name = line[..<colon].lowercased()
        if name.hasPrefix("icy-") { isBroadcast = true }
        switch name {
        case "content-length": contentLength = Int64(value).flatMap { 0..<Self.lengthLimit ~= $0 ? $0 : nil }
        case "content-range": contentRange = Self.range(value)
        case "content-encoding":
            contentEncoding = [contentEncoding, value.lowercased()].compactMap(\.self).joined(separator: ", ")
        case "content-type": mediaType = value.split(separator: ";").first?.trimmed.lowercased()
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

    /// Whether the body has no content coding: it contains the bytes of the resource.
    var isPlain: Bool {
        (contentEncoding ?? "").split(separator: ",").allSatisfy {
            Self.plainCodings.contains(String($0.trimmed))
        }
    }

    /// The names that change nothing. `aws-chunked` frames uploads to S3; some servers keep the name with the object,
    /// whose body has no frames.
    private static let plainCodings: Set<String> = ["", "identity", "aws-chunked"]

    /// Returns an entity tag without its mark of weakness. Servers send weak tags for a representation that has just
    /// been modified, and strong ones later, so both are compared without it (RFC 9110, section 8.8.3.2).
    static func opaqueTag(_ entityTag: String) -> Substring {
        entityTag.hasPrefix("W/") ? entityTag.dropFirst(2) : entityTag[...]
    }

    /// The value of `If-Range`, which does not allow weak entity tags.
    var validator: String? { Self.validator(entityTag, lastModified) }

    /// Returns the strong entity tag, or otherwise the date.
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
    /// The text without spaces and tabs at both ends.
    fileprivate var trimmed: Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var result = drop(while: isBlank)
        while let last = result.last, isBlank(last) { result.removeLast() }
        return result
    }
}
