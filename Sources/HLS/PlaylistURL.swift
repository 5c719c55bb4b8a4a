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

/// The URL of a playlist, which its references are relative to. All references share one instance.
final class PlaylistBase: Sendable {
    let url: URL?
    /// The URLs that were resolved last. Each is needed several times while its segment is read.
    private let recent = Locked([(reference: String, url: String)]())
    private static let recentLimit = 4

    init(_ text: String) { url = URL(string: text) }

    /// Returns the absolute URL of a reference.
    func resolve(_ reference: String) -> String {
        if let known = recent.withLock({ $0.first { $0.reference == reference } }) { return known.url }
        let url = URL(string: reference, relativeTo: url)?.absoluteURL.absoluteString ?? reference
        recent.withLock { recent in
            if recent.count >= Self.recentLimit { recent.removeFirst() }
            recent.append((reference, url))
        }
        return url
    }
}

/// A URI reference as written in a playlist. It is resolved when `url` is read.
///
/// A playlist can contain 100,000 references, and its own URL can have 64 KiB: stored resolved, they would take 6 GB.
package struct PlaylistReference: Hashable, Sendable, CustomStringConvertible {
    /// The reference as written in the playlist.
    package let text: String
    private let base: PlaylistBase

    /// - Throws: `MediaError` if the reference is invalid or not allowed.
    init(_ text: String, _ base: PlaylistBase) throws(MediaError) {
        try PlaylistURL.check(text, against: base)
        self.text = text
        self.base = base
    }

    /// The resolved URL.
    package var url: String { base.resolve(text) }

    package var description: String { url }

    /// Returns whether both are the same text in the same playlist. Resolves nothing.
    func isSameText(as other: PlaylistReference) -> Bool { base === other.base && text == other.text }

    package static func == (a: PlaylistReference, b: PlaylistReference) -> Bool {
        a.isSameText(as: b) || a.url == b.url
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}
