internal import Glibc

/// The server at the other end of a connection.
enum Peer: Hashable, Sendable {
    /// A server with a known address.
    case address(PeerAddress)
    /// A host name that only the proxy resolves.
    case unresolvedName

    /// Returns whether the server has a public address. A name that only the proxy resolves counts as public.
    func isPublic(_ rule: (PeerAddress) -> Bool) -> Bool {
        switch self {
        case .address(let address): rule(address)
        case .unresolvedName: true
        }
    }

    /// Creates the peer of a request through a proxy. The address is known if the URL contains one.
    init(behindProxy address: HTTPAddress) {
        let host = address.host
        if host == "localhost" || host.hasSuffix(".localhost") {
            self = PeerAddress("127.0.0.1").map { .address($0) } ?? .unresolvedName
        } else {
            self = PeerAddress(numeric: host).map { .address($0) } ?? .unresolvedName
        }
    }
}
