internal import Foundation
internal import MediaCore

/// An http or https URL, taken apart so that its secrets stay where they belong.
struct HTTPAddress: Hashable, Sendable {
    /// What is asked for: without credentials and fragment.
    let text: String
    let user: String?
    let password: String?
    /// In small letters, an IPv6 address without brackets.
    let host: String
    /// Scheme, host and port: what may see the credentials.
    let origin: String
    let isSecure: Bool

    /// nil for what is no such URL.
    init?(_ url: String) {
        guard var parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty
        else { return nil }
        isSecure = scheme == "https"
        user = parts.user
        password = parts.password
        self.host = String(host.lowercased().drop { $0 == "[" }.prefix { $0 != "]" })
        origin = "\(scheme)://\(host.lowercased()):\(parts.port ?? (isSecure ? 443 : 80))"
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        guard let text = parts.string else { return nil }
        self.text = text
    }

    /// For messages: also without the query, which may hold a token.
    var name: String { String(text.prefix { $0 != "?" }) }

    /// Where a server leads on to. Credentials of this address stay with its origin; those that the location itself
    /// brings are not taken.
    func resolving(_ location: String) throws(MediaError) -> HTTPAddress {
        guard let base = URL(string: text), let url = URL(string: location, relativeTo: base)?.absoluteURL,
            let scheme = url.scheme?.lowercased()
        else { throw MediaError(.io, "the server leads on to something that is no URL") }
        guard scheme == "http" || scheme == "https" else {
            throw MediaError(
                .forbidden,
                "the server leads on to a URL of the scheme \(scheme), which is refused"
            )
        }
        guard let next = HTTPAddress(url.absoluteString) else {
            throw MediaError(.io, "the server leads on to something that is no URL")
        }
        guard next.isSecure || !isSecure else {
            throw MediaError(.forbidden, "the server leads from https to http, which is refused")
        }
        return HTTPAddress(
            next,
            user: next.origin == origin ? user : nil,
            next.origin == origin ? password : nil
        )
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
