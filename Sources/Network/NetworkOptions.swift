/// How http and https URLs are read.
public struct NetworkOptions: Hashable, Sendable {
    /// A header of each request.
    public struct Header: Hashable, Sendable {
        /// "Referer"; letters, digits and dashes.
        public var name: String
        /// Without line ends.
        public var value: String

        /// What cannot be a header is refused when the URL is opened, with the code `.invalidArgument`.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Sent with each request. Where a server leads on to another host, only User-Agent, Referer, Origin and what begins with
    /// Accept go there: the others may be secrets of the first one.
    public var headers: [Header]
    /// Seconds without connection, first byte or further byte before another try. Three tries at one place without progress
    /// are an error.
    public var timeout: Double
    /// A file with the certificates (PEM) that are trusted; nil: those of the system.
    public var tlsCAFile: String?
    /// A server with a public address may lead on (by a redirect, or by what it names in a playlist) to one with a private
    /// address: this machine, the network of the house. By default it may not, and the error has the code `.forbidden`. What
    /// the URL itself names may always have a private address.
    public var allowsPrivateAddresses: Bool
    /// What all requests go through: "http://name:password@host:3128"; also https, socks5, and socks5h, which asks the proxy for
    /// addresses. nil: they go straight to the servers. Nothing is taken from the environment. Where a proxy looks for a server is
    /// its own affair: of hosts behind it only addresses, and not names, are known to be private.
    public var proxy: String?
    /// Where cookies that servers set are kept; nil: for this asset alone, in memory. Cookies of your own are a header. Either go to
    /// no other origin.
    public var cookies: CookieStore?
    /// Where what was fetched is kept on disk; nil: nowhere. Without it, too, what an asset has fetched is in memory for all who
    /// open the same URL, as far as it finds room.
    public var cache: DiskCache?

    /// By default: no headers, 10 seconds, the certificates of the system, no private addresses behind a public one,
    /// no proxy, each asset with cookies of its own, nothing on disk.
    public init(
        headers: [Header] = [],
        timeout: Double = 10,
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

    /// Why no request can be made with them; nil: it can.
    package var flaw: String? {
        for header in headers {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(Self.isNameByte) else {
                return "there is no header named \"\(header.name)\""
            }
            guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "the header \(header.name) has a value that cannot be sent"
            }
            // They belong to the engine: other values would give other bytes than it takes them for.
            let lower = header.name.lowercased()
            guard !["range", "if-range", "accept-encoding", "host", "connection"].contains(lower) else {
                return "the header \(header.name) cannot be set"
            }
        }
        if let proxy, ProxyAddress(proxy) == nil {
            return "the proxy must be an http, https, socks5 or socks5h URL with a host"
        }
        guard timeout > 0, timeout <= 86_400 else {
            return "the timeout must be more than 0 seconds, and at most a day"
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == 0x2D || byte == 0x5F
    }
}
