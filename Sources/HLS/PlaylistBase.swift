internal import FoundationEssentials
internal import MediaCore

/// The URL or path of a playlist, which its references are relative to. All references share one instance.
final class PlaylistBase: Sendable {
    /// The URL of a remote playlist.
    private let url: URL?
    /// The folder of a local playlist with a slash at the end, or nil for a remote one.
    private let folder: String?
    /// The URLs that were resolved last. Each is needed several times while its segment is read.
    private let recent = Locked([(reference: String, url: String)]())
    private static let recentLimit = 4
    /// The maximum length of a reference in bytes.
    private static let byteLimit = 64 << 10

    init(_ text: String) {
        let scheme = URLScheme.of(text)
        let isRemote = scheme == "http" || scheme == "https"
        url = isRemote ? URL(string: text) : nil
        folder = isRemote ? nil : text.fileNameStart.map { String(text[..<$0]) } ?? "./"
    }

    /// Checks a reference. The cost depends only on the length of the reference.
    ///
    /// A remote playlist may only refer to http and https, not to files or other protocols. `FileResource` checks the
    /// references of a local one.
    ///
    /// - Throws: `MediaError` if the reference is invalid or not allowed.
    func check(_ reference: String) throws(MediaError) {
        guard reference.utf8.count <= Self.byteLimit else {
            throw MediaError(.exceedsLimits, "URI too long (limit \(Self.byteLimit) bytes)")
        }
        if folder != nil { return }
        // The scheme and the host are those of the base unless the reference has a scheme of its own.
        let own = URL(string: reference)
        guard let base = url,
            let url = own?.scheme == nil ? URL(string: reference, relativeTo: base) : own,
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
        if scheme == "http", base.scheme?.lowercased() == "https" {
            throw MediaError(.forbidden, "reference from https to http refused")
        }
    }

    /// Returns the absolute URL of a reference, or for a local playlist a path or a `file` URL.
    func resolve(_ reference: String) -> String {
        if let folder {
            return reference.hasPrefix("/") || URLScheme.of(reference) != nil ? reference : folder + reference
        }
        if let known = recent.withLock({ $0.first { $0.reference == reference } }) { return known.url }
        let url = URL(string: reference, relativeTo: url)?.absoluteURL.absoluteString ?? reference
        recent.withLock { recent in
            if recent.count >= Self.recentLimit { recent.removeFirst() }
            recent.append((reference, url))
        }
        return url
    }
}
