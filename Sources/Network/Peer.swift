internal import Glibc

/// Who answers a request.
enum Peer: Hashable, Sendable {
    case address(PeerAddress)
    /// A proxy finds it by its name, and alone knows where that is.
    case unresolvedName

    /// A name that stands for no address is taken for a public one.
    func isPublic(_ rule: (PeerAddress) -> Bool) -> Bool {
        switch self {
        case .address(let address): rule(address)
        case .unresolvedName: true
        }
    }

    init(behindProxy address: HTTPAddress) {
        let host = address.host
        if host == "localhost" || host.hasSuffix(".localhost") {
            self = PeerAddress("127.0.0.1").map { .address($0) } ?? .unresolvedName
        } else {
            self = PeerAddress(numeric: host).map { .address($0) } ?? .unresolvedName
        }
    }
}
