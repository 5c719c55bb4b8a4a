internal import Foundation
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
                throw MediaError(.forbidden, "file URLs with a host are not supported", location: text)
            }
            rest = rest.dropFirst(host.count)
        }
        guard let path = rest.removingPercentEncoding, !path.isEmpty, !path.utf8.contains(0) else {
            throw MediaError(.invalidArgument, "not a valid file URL", location: text)
        }
        self = .file(path: path)
    }

    /// Returns the scheme of a URL in lower case, for example "https" for "https://…" and "rtmp" for "rtmp:…". Returns
    /// nil for paths, including paths with a colon after a slash.
    static func scheme(of text: String) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = text[..<colon]
        guard let first = name.utf8.first, isLetter(first), name.utf8.count > 1 else { return nil }
        let allowed = name.utf8.allSatisfy {
            isLetter($0) || isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
        guard allowed else { return nil }
        // "weird:name.mp4" is a file if it exists in the current folder. Text with "://" never is.
        if !text[colon...].hasPrefix("://"), access(text, F_OK) == 0 { return nil }
        return name.lowercased()
    }

    /// Returns whether the text is an http or https URL.
    static func isRemote(_ text: String) -> Bool {
        let scheme = scheme(of: text)
        return scheme == "http" || scheme == "https"
    }

    /// Returns the text after the last dot of the last path component, in lower case, or an empty string if there is
    /// none.
    static func fileExtension(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
