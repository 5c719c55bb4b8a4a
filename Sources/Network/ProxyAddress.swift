internal import Foundation

/// A proxy, taken apart so that its secrets are in no text.
struct ProxyAddress: Hashable, Sendable {
    /// Without credentials.
    let text: String
    let user: String?
    let password: String?

    /// The ports of a proxy whose URL names none.
    private static let ports = ["http": 80, "https": 443, "socks5": 1080, "socks5h": 1080]

    /// "http://name:password@host:3128"; nil for what is no such URL.
    init?(_ url: String) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let port = parts.port ?? Self.ports[scheme], Self.ports[scheme] != nil,
            let host = parts.host, !host.isEmpty, ["", "/"].contains(parts.path)
        else { return nil }
        user = parts.user
        password = parts.password
        text = "\(scheme)://\(host):\(port)"
    }
}
