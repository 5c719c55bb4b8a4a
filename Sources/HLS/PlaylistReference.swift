internal import MediaCore

/// A URI reference as written in a playlist. It is resolved when `url` is read.
///
/// A playlist can contain 100,000 references, and its own URL can have 64 KiB: stored resolved, they would take 6 GB.
package struct PlaylistReference: Hashable, Sendable, CustomStringConvertible {
    /// The reference as written in the playlist.
    package let text: String
    private let base: PlaylistBase

    /// - Throws: `MediaError` if the reference is invalid or not allowed.
    init(_ text: String, _ base: PlaylistBase) throws(MediaError) {
        try base.check(text)
        self.text = text
        self.base = base
    }

    /// The resolved URL, or for a local playlist a path or a `file` URL.
    package var url: String { base.resolve(text) }

    package var description: String { url }

    /// Returns whether both are the same text in the same playlist. Resolves nothing.
    func isSameText(as other: PlaylistReference) -> Bool { base === other.base && text == other.text }

    package static func == (a: PlaylistReference, b: PlaylistReference) -> Bool {
        a.isSameText(as: b) || a.url == b.url
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}
