internal import Foundation
internal import MediaCore

/// URLs in playlists.
enum PlaylistURL {
    /// `reference` made whole, relative to the playlist at `base`.
    ///
    /// A playlist of a network leads to http and https alone: it opens no files, and speaks no other protocol.
    static func resolve(_ reference: String, against base: String) throws(MediaError) -> String {
        guard reference.utf8.count <= byteLimit else {
            throw MediaError(.exceedsLimits, "a URL is longer than \(byteLimit) bytes")
        }
        guard let root = URL(string: base), let url = URL(string: reference, relativeTo: root)?.absoluteURL,
            let scheme = url.scheme?.lowercased()
        else { throw MediaError(.unrecognizedFormat, "this is no URL") }
        guard scheme == "http" || scheme == "https" else {
            throw MediaError(
                .forbidden,
                "a playlist of a network may only refer to http and https URLs, not to those of \(scheme)"
            )
        }
        guard url.host?.isEmpty == false else {
            throw MediaError(.unrecognizedFormat, "a URL names no host")
        }
        if scheme == "http", root.scheme?.lowercased() == "https" {
            throw MediaError(.forbidden, "a playlist that came by https refers to http, which is refused")
        }
        return url.absoluteString
    }

    private static let byteLimit = 64 << 10

    /// For messages: without what may hold a secret.
    static func name(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return String(url.prefix { $0 != "?" }) }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? String(url.prefix { $0 != "?" })
    }
}
