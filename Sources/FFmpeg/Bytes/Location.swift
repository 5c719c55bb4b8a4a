internal import FoundationEssentials
internal import Glibc
internal import MediaCore

/// The origin of a request's bytes, after the URL policy has been applied.
enum Location: Equatable {
    case file(path: String)
    case standardInput

    /// Parses a location. Text without a scheme is a path. All schemes except `file` are rejected, including network
    /// schemes.
    init(_ text: String) throws(MediaError) {
        if text == "-" {
            self = .standardInput
            return
        }
        guard !text.isEmpty else {
            throw MediaError(.invalidArgument, "the location is empty")
        }
        guard let scheme = Location.scheme(of: text) else {
            self = .file(path: text)
            return
        }
        guard scheme == "file" else {
            throw MediaError(
                .forbidden,
                "unsupported URL scheme: \(scheme)",
                location: Redaction.redact(text)
            )
        }
        var rest = text.dropFirst("file:".count)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host == "localhost" else {
                throw MediaError(
                    .forbidden,
                    "file URLs with a host are not supported",
                    location: Redaction.redact(text)
                )
            }
            rest = rest.dropFirst(host.count)
        }
        guard let path = rest.percentDecoded, !path.isEmpty, !path.utf8.contains(0) else {
            throw MediaError(.invalidArgument, "not a valid file URL", location: Redaction.redact(text))
        }
        self = .file(path: path)
    }

    /// Returns the scheme of a URL in lower case. Returns nil for paths; see `URLScheme.of(_:)`.
    static func scheme(of text: String) -> String? {
        guard let scheme = URLScheme.of(text) else { return nil }
        // "weird:name.mp4" is a file if it exists in the current folder. Text with "://" never is.
        if !text.dropFirst(scheme.count).hasPrefix("://"), access(text, F_OK) == 0 { return nil }
        return scheme
    }
}
