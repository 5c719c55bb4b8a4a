internal import Foundation
internal import MediaCore

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
