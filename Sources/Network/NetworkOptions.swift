internal import MediaCore

/// Options for reading http and https URLs.
public struct NetworkOptions: Hashable, Sendable {
    /// A header field that is sent with each request.
    public struct Header: Hashable, Sendable {
        /// The field name, such as "Referer". It consists of letters, digits, hyphens and underscores.
        public var name: String
        /// The field value, without line breaks.
        public var value: String

        /// Creates a header field.
        ///
        /// A field that cannot be sent is rejected when the URL is opened, with an error of the code
        /// `.invalidArgument`.
        ///
        /// - Parameters:
        ///   - name: The field name.
        ///   - value: The field value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Whether the field may be sent to another origin.
        var mayCrossOrigins: Bool {
            let name = name.lowercased()
            return ["user-agent", "referer", "origin"].contains(name) || name.hasPrefix("accept")
        }
    }

    /// Header fields that are sent with each request.
    ///
    /// After a redirect to another origin (scheme, host and port) only User-Agent, Referer, Origin and fields that
    /// begin with Accept are sent, because the others may hold credentials of the first origin.
    public var headers: [Header]
    /// The timeout of a request: more than zero, and at most one day.
    ///
    /// It limits the time to connect, the time to the first byte and the time between bytes. A request that exceeds
    /// it is repeated. Three attempts at the same offset without progress are an error. A server that has delivered
    /// bytes and then refuses connections is tried again for as long as the timeout; playback continues meanwhile from
    /// the buffer.
    public var timeout: Duration
    /// The path of a file with the trusted CA certificates (PEM), or nil for the system's certificates.
    public var tlsCAFile: String?
    /// Whether a server with a public address may refer to a private address, by a redirect or by a URL in a
    /// playlist.
    ///
    /// Private addresses are those of this machine and of local networks. By default such a reference fails with an
    /// error of the code `.forbidden`. The URL of the asset itself may always have a private address.
    public var allowsPrivateAddresses: Bool
    /// The proxy for all requests, such as "http://name:password@host:3128", or nil for direct connections.
    ///
    /// The schemes are http, https, socks5, and socks5h, which resolves host names at the proxy. Environment
    /// variables are ignored. A proxy resolves host names by itself, so `allowsPrivateAddresses` can only check
    /// servers whose URLs contain an IP address.
    public var proxy: String?
    /// The store for cookies that servers set, or nil for a store in memory that belongs to one asset.
    ///
    /// To send cookies of your own, set a header field. Neither kind is sent to another origin.
    public var cookies: CookieStore?
    /// The disk cache, or nil for none.
    ///
    /// Without a disk cache, fetched bytes are still shared in memory by all assets with the same URL, as far as the
    /// memory limit allows.
    public var cache: DiskCache?

    /// Creates options.
    ///
    /// The default values are: no header fields, a timeout of 10 seconds, the system's certificates, no
    /// references from public servers to private addresses, no proxy, separate cookies for each asset, and no disk
    /// cache.
    ///
    /// - Parameters:
    ///   - headers: The header fields that are sent with each request.
    ///   - timeout: The timeout: more than zero, and at most one day.
    ///   - tlsCAFile: The path of a file with trusted CA certificates.
    ///   - allowsPrivateAddresses: Whether public servers may refer to private addresses.
    ///   - proxy: The URL of a proxy.
    ///   - cookies: A cookie store to share between assets.
    ///   - cache: A disk cache.
    public init(
        headers: [Header] = [],
        timeout: Duration = .seconds(10),
        tlsCAFile: String? = nil,
        allowsPrivateAddresses: Bool = false,
        proxy: String? = nil,
        cookies: CookieStore? = nil,
        cache: DiskCache? = nil
    ) {
        self.headers = headers
        self.timeout = timeout
        self.tlsCAFile = tlsCAFile
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.proxy = proxy
        self.cookies = cookies
        self.cache = cache
    }

    /// The reason why no request can be made with these options, or nil if they are valid.
    package var flaw: String? {
        for header in headers {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(Self.isNameByte) else {
                return "invalid header name \"\(header.name)\""
            }
            guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "invalid value of header \(header.name): it contains control characters"
            }
            // The engine sets these fields itself. Other values would change which bytes a response contains.
            let lower = header.name.lowercased()
            guard !["range", "if-range", "accept-encoding", "host", "connection"].contains(lower) else {
                return "header \(header.name) cannot be set: the player sets it"
            }
        }
        if let proxy, ProxyAddress(proxy) == nil {
            return "invalid proxy: it must be an http, https, socks5 or socks5h URL with a host"
        }
        guard timeout > .zero, timeout <= .seconds(86_400) else {
            return "invalid timeout: it must be more than 0 and at most 86400 seconds"
        }
        return nil
    }

    /// The timeout in nanoseconds.
    var timeoutNanoseconds: Int64 { MediaTime(timeout).nanoseconds ?? 0 }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == 0x2D || byte == 0x5F
    }
}
