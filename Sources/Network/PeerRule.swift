internal import Glibc

/// Which machines a request may reach.
struct PeerRule: Sendable {
    /// A public server led there: it must be a public one, too.
    var isPublicOnly = false
    var isPublic: @Sendable (PeerAddress) -> Bool

    func allows(_ peer: Peer?) -> Bool {
        guard isPublicOnly else { return true }
        return peer?.isPublic(isPublic) ?? false
    }
}
