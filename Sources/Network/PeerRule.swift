internal import Glibc

/// The servers that a request may reach.
struct PeerRule: Sendable {
    /// Whether only public addresses are allowed, because a public server referred to the URL.
    var isPublicOnly = false
    var isPublic: @Sendable (PeerAddress) -> Bool

    /// Returns true if the request may reach the server.
    func allows(_ peer: Peer?) -> Bool {
        guard isPublicOnly else { return true }
        return peer?.isPublic(isPublic) ?? false
    }
}
