import Foundation
import FoundationNetworking

extension HTTPCookie {
    /// Returns whether the cookie is sent with a request for a URL (RFC 6265, section 5.4).
    ///
    /// - Returns: False for schemes other than http and https.
    func applies(to url: URL) -> Bool {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host?.lowercased()
        else { return false }
        // A leading dot is Foundation's mark of a cookie for subdomains too.
        let domain = domain.lowercased()
        let isForHost = host == domain || domain.hasPrefix(".") && ".\(host)".hasSuffix(domain)
        let folder = path.hasSuffix("/") ? path : "\(path)/"
        let isForPath = url.path == path || "\(url.path)/".hasPrefix(folder)
        let isForScheme = !isSecure || scheme == "https"
        let hasExpired = expiresDate.map { $0 <= Date() } ?? false
        return isForHost && isForPath && isForScheme && !hasExpired
    }
}
