internal import FoundationEssentials
internal import MediaCore

/// An http or https URL, split so that its credentials are sent to their origin only.
struct HTTPAddress: Hashable, Sendable {
    /// The URL for requests, without credentials and fragment.
    let text: String
    let user: String?
    let password: String?
    /// The host in lower case. An IPv6 address has no brackets.
    let host: String
    /// The scheme, host and port. Credentials are sent to this origin only.
    let origin: String
    let isSecure: Bool

    /// Parses a URL. Returns nil if it is not an http or https URL with a host.
    init?(_ url: String) {
        guard var parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let name = parts.host, let host = HostName.ascii(name),
            Self.isHost(host)
        else { return nil }
        isSecure = scheme == "https"
        user = parts.user
        password = parts.password
        self.host = String(host.lowercased().drop { $0 == "[" }.prefix { $0 != "]" })
        origin = "\(scheme)://\(host.lowercased()):\(parts.port ?? (isSecure ? 443 : 80))"
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        if host != name { parts.host = host }
        guard let text = parts.string else { return nil }
        self.text = text
    }

    /// Returns whether a percent-decoded host is a name or an address that can be part of a URL as it is. A host with
    /// "%40" would become credentials and another host.
    static func isHost(_ host: String) -> Bool {
        let isLiteral = host.utf8.count > 2 && host.hasPrefix("[") && host.hasSuffix("]")
        // An IPv6 address contains colons, and a percent sign before its zone.
        let forbidden = isLiteral ? "\"#/<>?@[\\]^`{|}" : "\"#%/:<>?@[\\]^`{|}"
        let name = isLiteral ? host.dropFirst().dropLast() : host[...]
        return !name.isEmpty
            && name.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7F && !forbidden.unicodeScalars.contains($0)
            }
    }

    /// The URL for messages, also without the query, which may hold a token.
    var name: String { Redaction.location(text) }

    /// Resolves a redirect target or a reference. Keeps the credentials of this address if the origin is the same,
    /// and ignores credentials in `location`.
    ///
    /// - Throws: `MediaError` if the result is not an http or https URL, or would lead from https to http.
    func resolving(_ location: String) throws(MediaError) -> HTTPAddress {
        guard let base = URL(string: text), let url = URL(string: location, relativeTo: base)?.absoluteURL,
            let scheme = url.scheme?.lowercased()
        else { throw MediaError(.io, "invalid redirect or reference: not a URL") }
        guard scheme == "http" || scheme == "https" else {
            throw MediaError(
                .forbidden,
                "redirect or reference to scheme \(scheme) refused: only http and https are allowed"
            )
        }
        guard let next = HTTPAddress(url.absoluteString) else {
            throw MediaError(.io, "invalid redirect or reference: not a URL")
        }
        guard next.isSecure || !isSecure else {
            throw MediaError(.forbidden, "redirect or reference from https to http refused")
        }
        return HTTPAddress(
            next,
            user: next.origin == origin ? user : nil,
            next.origin == origin ? password : nil
        )
    }

    /// Returns the address with the credentials of one of the same origin.
    func withCredentials(of other: HTTPAddress) -> HTTPAddress {
        HTTPAddress(self, user: other.user, other.password)
    }

    private init(_ other: HTTPAddress, user: String?, _ password: String?) {
        text = other.text
        host = other.host
        origin = other.origin
        isSecure = other.isSecure
        self.user = user
        self.password = password
    }
}
