internal import Foundation
internal import MediaCore

/// Functions for the URLs in playlists.
enum PlaylistURL {
    /// Checks a reference relative to the playlist at `base`. The cost depends only on the length of the reference.
    ///
    /// A remote playlist may only refer to http and https, not to files or other protocols.
    ///
    /// - Throws: `MediaError` if the reference is invalid or not allowed.
    static func check(_ reference: String, against base: PlaylistBase) throws(MediaError) {
        guard reference.utf8.count <= byteLimit else {
            throw MediaError(.exceedsLimits, "URI too long (limit \(byteLimit) bytes)")
        }
        // The scheme and the host are those of the base unless the reference has a scheme of its own.
        let own = URL(string: reference)
        guard let root = base.url,
            let url = own?.scheme == nil ? URL(string: reference, relativeTo: root) : own,
            let scheme = url.scheme?.lowercased()
        else { throw MediaError(.unrecognizedFormat, "invalid URI") }
        guard scheme == "http" || scheme == "https" else {
            throw MediaError(
                .forbidden,
                "reference to scheme \(scheme) refused: a remote playlist may only refer to http and https URLs"
            )
        }
        guard url.host?.isEmpty == false else {
            throw MediaError(.unrecognizedFormat, "URI without a host")
        }
        if scheme == "http", root.scheme?.lowercased() == "https" {
            throw MediaError(.forbidden, "reference from https to http refused")
        }
    }

    private static let byteLimit = 64 << 10

    /// Returns a URL for messages, without credentials, query and fragment.
    static func name(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return String(url.prefix { $0 != "?" }) }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? String(url.prefix { $0 != "?" })
    }
}
