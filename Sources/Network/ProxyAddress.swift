internal import FoundationEssentials

/// The address of a proxy, without credentials in its text.
struct ProxyAddress: Hashable, Sendable {
    /// The URL without credentials.
    let text: String
    let user: String?
    let password: String?

    /// The default ports by scheme.
    private static let ports = ["http": 80, "https": 443, "socks5": 1080, "socks5h": 1080]

    /// Parses a URL such as "http://name:password@host:3128". Returns nil if it is not the URL of a proxy.
    init?(_ url: String) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let port = parts.port ?? Self.ports[scheme], Self.ports[scheme] != nil,
            let host = parts.host.flatMap(HostName.ascii), HTTPAddress.isHost(host),
            ["", "/"].contains(parts.path)
        else { return nil }
        user = parts.user
        password = parts.password
        text = "\(scheme)://\(host):\(port)"
    }
}
