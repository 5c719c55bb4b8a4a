internal import CCurl
internal import Glibc
internal import MediaCore

/// What one request asks for.
struct TransferRequest: Sendable {
    var address: HTTPAddress
    /// Both ends are part of it; nil: the whole resource, without a word about ranges.
    var range: (first: Int64, last: Int64?)?
    /// The resource must still have this tag or date, or all of it is sent.
    var validator: String?
    var headers: [NetworkOptions.Header]
    var caFile: String?
    var proxy: ProxyAddress?
    /// What servers have set of the address's origin.
    var cookies: CookieJar
    var peers: PeerRule
    /// Nanoseconds without connection, first byte or further byte.
    var timeout: Int64
    /// Bytes that must come in twice that time.
    var minimumRate: Int

    /// As they are sent.
    var headerLines: [String] {
        var lines = ["Accept-Encoding: identity", "Accept: */*"]
        if let range { lines.append("Range: bytes=\(range.first)-\(range.last.map { String($0) } ?? "")") }
        if range != nil, let validator { lines.append("If-Range: \(validator)") }
        let hasAgent = headers.contains { $0.name.lowercased() == "user-agent" }
        if !hasAgent { lines.append("User-Agent: Playhead") }
        for header in headers where !Self.isCookie(header) {
            // A header with nothing behind its name is written with a semicolon.
            lines.append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        return lines
    }

    /// Those of the program: they go into one header with those that servers have set.
    var ownCookies: String { headers.filter(Self.isCookie).map(\.value).joined(separator: "; ") }

    private static func isCookie(_ header: NetworkOptions.Header) -> Bool {
        header.name.lowercased() == "cookie"
    }
}
