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
    /// Whether only public addresses are allowed, because a public server referred to the URL.
    var isPublicOnly: Bool
    /// Returns whether an address is public.
    var isPublicAddress: @Sendable (PeerAddress) -> Bool
    /// The limit in nanoseconds for connecting, for the first byte and between bytes.
    var timeout: Int64
    /// The number of bytes that must arrive in each `rateInterval` nanoseconds.
    var minimumBytesPerInterval: Int
    var rateInterval: Int64

    /// Creates a request without a range and without conditions.
    ///
    /// - Parameters:
    ///   - address: The URL to request.
    ///   - base: The URL that redirects to it, or the same one. To another origin only header fields without secrets
    ///     are sent.
    ///   - resource: The resource, with its options.
    ///   - policy: The limits and durations.
    ///   - cookies: The cookies of the reader.
    ///   - isReferrerPublic: Whether a public server redirects to the URL.
    init(
        to address: HTTPAddress,
        redirectedFrom base: HTTPAddress,
        for resource: HTTPResource,
        _ policy: HTTPRepresentation.Policy,
        _ cookies: CookieStore,
        isReferrerPublic: Bool
    ) {
        let options = resource.options
        headers = options.headers
        if address.origin == base.origin {
            // Another origin may have redirected back, from which the credentials were withheld.
            self.address = address.withCredentials(of: base)
        } else {
            self.address = address
            headers.removeAll { !$0.mayCrossOrigins }
        }
        caFile = options.tlsCAFile
        proxy = options.proxy.flatMap { ProxyAddress($0) }
        self.cookies = cookies.jar(of: address)
        isPublicOnly =
            !options.allowsPrivateAddresses && (isReferrerPublic || resource.referrer == .publicServer)
        isPublicAddress = policy.isPublicAddress
        timeout = options.timeoutNanoseconds
        minimumBytesPerInterval = policy.minimumBytesPerInterval
        rateInterval = policy.rateInterval ?? 2 * timeout
    }

    /// Returns true if the request may reach a server.
    func allows(_ peer: Peer?) -> Bool { !isPublicOnly || peer?.isPublic(isPublicAddress) ?? false }

    /// The header lines to send.
    var headerLines: [String] {
        var lines = ["Accept-Encoding: identity"]
        if let range { lines.append("Range: bytes=\(range.first)-\(range.last.map { String($0) } ?? "")") }
        if range != nil, let validator { lines.append("If-Range: \(validator)") }
        // Those of the application replace them. Two fields would mean that every media type is accepted.
        for (name, value) in [("Accept", "*/*"), ("User-Agent", "Playhead")]
        where !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            lines.append("\(name): \(value)")
        }
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
