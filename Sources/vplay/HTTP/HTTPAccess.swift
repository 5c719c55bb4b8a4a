/// Decides which requests are answered.
///
/// Without a token only this machine can connect, but a browser on it also runs pages of other sites. Two rules keep them
/// out: the `Host` field must name this machine (a page whose name was rebound to a loopback address sends its own name),
/// and requests that a browser marks as coming from another site are refused.
struct HTTPAccess: Sendable {
    /// The secret, or nil.
    let token: String?
    /// The address on which the server listens.
    let address: String

    /// Returns the status with which a request is refused, or nil.
    func refusal(of request: HTTPRequest) -> HTTPStatus? {
        if let token {
            let field = request["authorization"].flatMap { field in
                field.lowercased().hasPrefix("bearer ") ? String(field.dropFirst(7)) : nil
            }
            return Self.isEqual(field ?? request.parameter("token") ?? "", token) ? nil : .unauthorized
        }
        let host = Self.hostName(request["host"] ?? "")
        let isLocal = ["", "localhost", "127.0.0.1", "::1", address.lowercased()].contains(host)
        guard isLocal, !host.isEmpty || request["host"] == nil else { return .misdirectedRequest }
        if let site = request["sec-fetch-site"], !["same-origin", "none"].contains(site) {
            return .forbidden
        }
        // Older browsers send the origin or the referring page instead.
        for name in ["origin", "referer"] {
            guard let origin = request[name] else { continue }
            guard let separator = origin.firstRange(of: "://") else { return .forbidden }
            let authority = origin[separator.upperBound...].prefix { $0 != "/" }
            guard authority == request["host"] ?? "" else { return .forbidden }
        }
        return nil
    }

    /// Returns the name in a `Host` field without the port and brackets, in lower case.
    private static func hostName(_ field: String) -> String {
        let text = field.lowercased()
        if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
        return String(text.prefix { $0 != ":" })
    }

    /// Compares in a time that does not depend on where the texts differ.
    private static func isEqual(_ first: String, _ second: String) -> Bool {
        let (a, b) = (Array(first.utf8), Array(second.utf8))
        var difference = a.count ^ b.count
        for index in b.indices { difference |= Int(b[index] ^ (index < a.count ? a[index] : 0)) }
        return difference == 0
    }
}
