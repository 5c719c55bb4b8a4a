internal import Glibc

/// Who answers a request.
enum Peer: Hashable, Sendable {
    case machine(PeerAddress)
    /// A proxy finds it by its name, and alone knows where that is.
    case named

    /// A name that stands for no address is taken for a public one.
    func isPublic(_ rule: (PeerAddress) -> Bool) -> Bool {
        switch self {
        case .machine(let address): rule(address)
        case .named: true
        }
    }

    init(behindProxy address: HTTPAddress) {
        let host = address.host
        if host == "localhost" || host.hasSuffix(".localhost") {
            self = PeerAddress("127.0.0.1").map { .machine($0) } ?? .named
        } else {
            self = PeerAddress(numeric: host).map { .machine($0) } ?? .named
        }
    }
}
