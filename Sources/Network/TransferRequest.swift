internal import CCurl
internal import Glibc
internal import MediaCore

/// The parameters of one request.
struct TransferRequest: Sendable {
    var address: HTTPAddress
    /// The requested range, including both ends, or nil for a request without Range.
    var range: (first: Int64, last: Int64?)?
    /// The value of `If-Range`. If the representation has changed, the server sends all of it.
    var validator: String?
    var headers: [NetworkOptions.Header]
    var caFile: String?
    var proxy: ProxyAddress?
    /// The cookies that servers have set for the origin of the address.
    var cookies: CookieJar
    var peers: PeerRule
    /// The limit in nanoseconds for connecting, for the first byte and between bytes.
    var timeout: Int64
    /// The number of bytes that must arrive in `rateInterval`.
    var minimumRate: Int
    /// The interval of `minimumRate` in nanoseconds. If nil, twice the timeout.
    var minimumRateInterval: Int64?

    /// The interval in nanoseconds in which `minimumRate` bytes must arrive.
    var rateInterval: Int64 { minimumRateInterval ?? 2 * timeout }

    /// The header lines to send.
    var headerLines: [String] {
        var lines = ["Accept-Encoding: identity", "Accept: */*"]
        if let range { lines.append("Range: bytes=\(range.first)-\(range.last.map { String($0) } ?? "")") }
        if range != nil, let validator { lines.append("If-Range: \(validator)") }
        let hasAgent = headers.contains { $0.name.lowercased() == "user-agent" }
        if !hasAgent { lines.append("User-Agent: Playhead") }
        for header in headers where !Self.isCookie(header) {
            // libcurl expects a semicolon instead of a colon if the value is empty.
            lines.append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        return lines
    }

    /// The cookies that the application has set as header fields. They are sent in one field with those that servers
    /// have set.
    var ownCookies: String { headers.filter(Self.isCookie).map(\.value).joined(separator: "; ") }

    private static func isCookie(_ header: NetworkOptions.Header) -> Bool {
        header.name.lowercased() == "cookie"
    }
}
